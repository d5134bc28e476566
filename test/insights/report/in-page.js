/** What is measured in a page: this file runs there. */
globalThis.measure = {
  /** Elements that stand beyond the sides of the page, as `tag.class left…right`. */
  beyondThePage() {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll('body *')].flatMap((element) => {
      const { left, right, width: own } = element.getBoundingClientRect();
      const name = `${element.tagName}.${element.getAttribute('class') ?? ''}`;
      return own > 0 && (left < -0.5 || right > width + 0.5) ? [`${name} ${left}…${right}`] : [];
    });
    const scroll = document.documentElement.scrollWidth;
    return scroll > width ? [`the page ${scroll} of ${width}`, ...wide] : wide;
  },

  /** Elements that hide or scroll a part of what they hold; what is for those who hear the page is no part of it. */
  cutOff() {
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
      .filter((element) => getComputedStyle(element).overflowX !== 'visible')
      .map((element) => `${element.tagName}.${element.getAttribute('class') ?? ''}`);
  },

  /** Texts smaller than this, in pixels as they are shown. */
  smallTexts(least) {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!parent || !walker.currentNode.nodeValue?.trim() || parent.matches('title, desc')) continue;
      const scale = parent instanceof SVGGraphicsElement ? (parent.getScreenCTM()?.a ?? 1) : 1;
      const size = Number.parseFloat(getComputedStyle(parent).fontSize) * scale;
      if (size < least) found.push(`${size} ${walker.currentNode.nodeValue}`);
    }
    return found;
  },

  /** Labels of charts that cover each other. */
  collidingLabels() {
    const collide = (a, b) =>
      a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
    return [...document.querySelectorAll('svg')].flatMap((svg) => {
      const labels = [...svg.querySelectorAll('text')];
      const boxes = labels.map((label) => label.getBoundingClientRect());
      return labels.flatMap((a, i) =>
        labels.flatMap((b, j) =>
          j > i && collide(boxes[i], boxes[j]) ? [`${a.textContent} | ${b.textContent}`] : [],
        ),
      );
    });
  },

  /** The marks of charts and the letters in them with their contrast to the white they stand on (WCAG 2.1). */
  contrasts() {
    const luminance = (colour) => {
      const [r, g, b] = colour.match(/[\d.]+/g).map((value) => {
        const part = Number(value) / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const marks = new Map();
    for (const element of document.querySelectorAll('svg :is(rect, circle, line, text)')) {
      const group = element.parentElement.getAttribute('class') ?? '';
      if (group === 'grid') continue;
      const { stroke, fill, opacity, fillOpacity, strokeOpacity } = getComputedStyle(element);
      const colour = element.tagName === 'line' ? stroke : fill;
      const isOpaque = Number(opacity) * Number(fillOpacity) * Number(strokeOpacity) === 1;
      const mark = `${element.tagName}.${element.getAttribute('class') ?? group}`;
      marks.set(mark, isOpaque && colour !== 'none' ? 1.05 / (luminance(colour) + 0.05) : 0);
    }
    return [...marks];
  },

  /** The middle of the label at 0, and of each line at 0. */
  zeros() {
    const middle = (element) => {
      const { left, right } = element.getBoundingClientRect();
      return (left + right) / 2;
    };
    const labels = [...document.querySelectorAll('.bars thead text')];
    const label = labels.find(({ textContent }) => textContent === '0');
    return [label, ...document.querySelectorAll('.bars .zero')].map(middle);
  },

  /** Where the first section ends, and the charts of the second: distances from the top. */
  bottoms() {
    return [...document.querySelectorAll('section:first-child, section:nth-child(2) figure')].map(
      (element) => element.getBoundingClientRect().bottom + scrollY,
    );
  },

  /** The first card of a table on a phone. */
  card() {
    const row = document.querySelector('.cards tbody tr');
    const label = getComputedStyle(row.querySelectorAll('td')[2], '::before').content;
    const head = document.querySelector('.cards thead').getBoundingClientRect().width;
    return { label, width: row.clientWidth, head };
  },

  /** What axe-core, which must be loaded, finds that is serious or critical. */
  async seriousFaults() {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
  },
};

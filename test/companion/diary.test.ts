import { expect, test } from 'vitest';
import { session } from '../helpers.ts';
import { allSent, beNora, inBrowser, inDiary, pageOfNora, record, service } from './phone.ts';

inBrowser((_, bare) => {
  test('what is deleted comes back with what was typed last, sent or not', async () => {
    const { store, context, page } = await pageOfNora(bare);
    await context.setOffline(true);
    await record(page, 8, 7);
    await page.getByRole('link', { name: 'Diary' }).click();
    for (const [name, text] of [
      ['8 → 7', 'new'],
      [`${session.painBefore} → ${session.painAfter}`, 'old'],
    ] as const) {
      await page.getByRole('button', { name }).click();
      await page.getByLabel('Notes').fill(text);
      // Before the field is left, or the pause is over.
      await page.evaluate("document.querySelector('.danger').click()");
      await page.getByRole('button', { name: 'Bring back' }).click();
      await page.getByRole('button', { name }).getByText(text).waitFor();
    }
    await context.setOffline(false);
    await allSent(page);
    expect(store.logs.list().map(({ notes }) => notes)).toEqual(['old', 'new']);
  });

  test('a conflict over a deletion says that it is one, and either side can be kept', async () => {
    const { store, context, page } = await pageOfNora(bare);
    const offline = async (act: () => Promise<unknown>) => {
      await context.setOffline(true);
      await inDiary(page);
      await act();
      await page.getByText('1 not sent yet').waitFor();
    };
    const remove = () => page.getByRole('button', { name: 'Delete', exact: true }).click();
    const settle = (name: string) => page.getByRole('button', { name }).click();
    await offline(remove);
    store.logs.update(1, { notes: 'theirs' });
    await context.setOffline(false);
    await page.getByText('Not deleted, Piriformis Stretch: it was changed elsewhere.').waitFor();
    await page.getByText('notes: – here, theirs there').waitFor();
    await settle('Keep what is there');
    await allSent(page);
    await offline(remove);
    store.logs.update(1, { notes: 'theirs again' });
    await context.setOffline(false);
    await settle('Delete it');
    await expect.poll(() => store.logs.count()).toBe(0);
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect.poll(() => store.logs.count()).toBe(1);
    await allSent(page);
    // The other way round.
    await offline(async () => {
      await page.getByLabel('Notes').fill('mine');
      await page.getByRole('heading', { name: 'Diary' }).click();
    });
    store.logs.delete(1);
    await context.setOffline(false);
    await page.getByText('Not saved, Piriformis Stretch: it was deleted elsewhere.').waitFor();
    await page.getByText('notes: mine here').waitFor();
    await settle('Save what is here');
    await expect.poll(() => store.logs.list()).toMatchObject([{ id: 1, notes: 'mine' }]);
    await allSent(page);
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  test('what was changed and deleted here, and changed elsewhere, is asked about once', async () => {
    const { store, context, page } = await pageOfNora(bare);
    const conflict = async (notes: string) => {
      await context.setOffline(true);
      await inDiary(page);
      await page.getByLabel('Notes').fill('mine');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('2 not sent yet').waitFor();
      store.logs.update(1, { notes });
      await context.setOffline(false);
      await page.getByText(`notes: mine here, ${notes} there`).waitFor();
      await allSent(page);
      expect(await page.getByRole('region', { name: 'Not saved' }).count()).toBe(1);
    };
    await conflict('theirs');
    await page.getByRole('button', { name: 'Keep what is there' }).click();
    await page.getByRole('region', { name: 'Not saved' }).waitFor({ state: 'detached' });
    await conflict('theirs again');
    await page.getByRole('button', { name: 'Delete it' }).click();
    await expect.poll(() => store.logs.count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Not saved' }).count()).toBe(0);
  });

  test('a button is pressed although what is not sent comes over it meanwhile', async () => {
    const { context, page } = await pageOfNora(bare);
    await context.setOffline(true);
    await inDiary(page);
    await page.getByLabel('Notes').fill('mine');
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    const bottom = async () => {
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      return y + height;
    };
    // Right above the foot.
    const foot = (await page.getByRole('navigation').boundingBox())?.y ?? 0;
    await page.evaluate(`scrollBy(0, ${(await bottom()) - foot})`);
    await page.mouse.move(50, (await bottom()) - 10);
    await page.mouse.down();
    const note = page.getByText('1 not sent yet');
    await note.waitFor();
    expect((await note.boundingBox())?.y).toBeLessThan((await bottom()) - 10);
    await page.mouse.up();
    await page.getByText('2 not sent yet').waitFor();
  });

  test('what was typed is asked about where its deletion was taken back before it was answered', async () => {
    const { store, context, page } = await pageOfNora(bare);
    await context.setOffline(true);
    await inDiary(page);
    await page.getByLabel('Notes').fill('mine');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('2 not sent yet').waitFor();
    store.logs.update(1, { notes: 'theirs' });
    await context.route('**/batch', (route) =>
      route.request().postData()?.includes('DELETE') ? route.abort() : route.continue(),
    );
    await context.setOffline(false);
    await page.getByText('notes: mine here, theirs there').waitFor();
    await page.getByRole('button', { name: 'Bring back' }).click();
    await page.getByText('2 not sent yet').waitFor();
    await context.unroute('**/batch');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await allSent(page);
    await page.getByRole('button', { name: 'Save what is here' }).click();
    await expect.poll(() => store.logs.list()).toMatchObject([{ id: 1, notes: 'mine' }]);
    await allSent(page);
    expect(await page.getByRole('region', { name: 'Not saved' }).count()).toBe(0);
  });

  test('a day that is half typed is not set back by what comes from elsewhere', async () => {
    const { store, url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await inDiary(page);
    await page.getByLabel('Notes').fill('mine');
    const day = page.getByLabel('Day');
    await day.focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => store.logs.get(1).notes).toBe('mine');
    await allSent(page);
    store.logs.update(1, { notes: 'theirs' });
    await expect.poll(() => page.getByLabel('Notes').inputValue()).toBe('theirs');
    expect(await day.inputValue()).toBe('');
    await page.keyboard.type('02');
    await expect.poll(() => store.logs.get(1).date).toBe('2026-02-01');
    // A day that is changed elsewhere comes once nobody is in the field.
    store.logs.update(1, { date: '2026-01-01' });
    await page.getByRole('heading', { name: 'Diary' }).click();
    await expect.poll(() => day.inputValue()).toBe('2026-01-01');
    // What was typed before is not saved once more where the view is left.
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: 'How is it today? 3', exact: true }).click();
    await expect.poll(() => store.of('painEntry').count()).toBe(1);
    expect(store.logs.get(1).notes).toBe('theirs');
  });

  test('what was deleted can be brought back after a look at another view, and by nobody else', async () => {
    const { store, link } = await service({ auth: true });
    const { open } = await bare();
    const page = await open(link());
    const bringBack = page.getByRole('button', { name: 'Bring back' });
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
    const remove = async () => {
      await inDiary(page);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await bringBack.waitFor();
      await page.getByRole('link', { name: 'Today' }).click();
      await page.getByRole('heading', { name: 'Today' }).waitFor();
    };
    await remove();
    await page.getByRole('link', { name: 'Diary' }).click();
    await bringBack.click();
    await expect.poll(() => store.logs.count()).toBe(1);
    // What is back by other ways is not offered any more.
    await allSent(page);
    await remove();
    await allSent(page);
    store.undo(store.history.nextUndo() ?? 0);
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('1 entry').waitFor();
    expect(await bringBack.count()).toBe(0);
    await remove();
    await allSent(page);
    await page.getByRole('link', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Forget this phone' }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    // Nor is the code tried again that was used.
    expect(await page.getByLabel('Link, code or token').inputValue()).toBe('');
    await page.getByLabel('Link, code or token').fill(link());
    await page.getByRole('button', { name: 'Pair' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.getByRole('link', { name: 'Diary' }).click();
    await page.getByText('0 entries').waitFor();
    expect(await bringBack.count()).toBe(0);
  });

  test('a day that is refused does not stay in its field', async () => {
    const { store, url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await inDiary(page);
    const day = page.getByLabel('Day');
    for (const typed of ['2999-01-01', '']) {
      await day.fill(typed);
      // One to come is told of at once; what is not whole may be typed on.
      if (typed === '') await page.getByRole('heading', { name: 'Diary' }).click();
      await expect.poll(() => day.inputValue()).toBe(session.date);
      await page.getByText('The day stays Sun, Mar 1, 2026').waitFor();
      await page.reload();
      await page.getByRole('button', { name: session.exerciseName }).click();
    }
    expect(store.logs.get(1).date).toBe(session.date);
  });

  test('what is corrected is said with its new figures', async () => {
    const { url } = await service();
    const { open } = await bare();
    const page = await open(url);
    await beNora(page);
    await record(page, 6, 4);
    await page.getByText('Saved: 6 before, 4 after Piriformis Stretch.').waitFor();
    await inDiary(page);
    await page.getByRole('button', { name: 'Pain after 2', exact: true }).click();
    await page.getByText('Saved: 6 before, 2 after Piriformis Stretch.').waitFor();
  });

  test('a search finds what was taken', async () => {
    const { store, page } = await pageOfNora(bare);
    store.logs.update(1, { medication: 'Ibuprofen 400' });
    await inDiary(page);
    const medication = page.getByLabel('Medication before');
    await expect.poll(() => medication.inputValue()).toBe('Ibuprofen 400');
    // No more can be typed than the service takes.
    await medication.focus();
    await page.keyboard.insertText('!'.repeat(200));
    expect((await medication.inputValue()).length).toBe(200);
    await page.getByRole('button', { name: session.exerciseName }).click();
    for (const [text, found] of [
      ['paracetamol', '0 entries of 1'],
      ['ibu', '1 entry'],
    ] as const) {
      await page.getByLabel('Search').fill(text);
      await page.getByText(found, { exact: true }).waitFor();
    }
  });

  test('what is refused says which field is at fault, and that a person is gone', async () => {
    const { store, context, page } = await pageOfNora(bare);
    await inDiary(page);
    await page.getByLabel('Notes').fill('a\0b');
    await page.getByRole('heading', { name: 'Diary' }).click();
    await page.getByText('notes must not hold a NUL character.').waitFor();
    await page.getByRole('button', { name: 'Understood' }).click();
    await page.getByRole('link', { name: 'Today' }).click();
    await context.setOffline(true);
    await record(page, 6, 3);
    store.users.delete(1);
    await context.setOffline(false);
    await page.getByText('Not saved, Piriformis Stretch: the person was deleted at the computer.').waitFor();
  });
});

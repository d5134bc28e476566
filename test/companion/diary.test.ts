import { expect, test } from 'vitest';
import { session } from '../helpers.ts';
import { allSent, beNora, inBrowser, record, service } from './phone.ts';

inBrowser((_, bare) => {
  test('what is deleted comes back with what was typed last, sent or not', async () => {
    const { store, url } = await service();
    const { open, context } = await bare();
    const page = await open(url);
    await beNora(page);
    await page.getByRole('button', { name: session.exerciseName }).waitFor();
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
});

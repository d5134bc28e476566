import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { FolderCipher } from '../../src/sync/cipher.ts';
import { Folder } from '../../src/sync/folder.ts';
import { log, user } from '../store/helpers.ts';
import { contents, copyOf, isMerged, machine, setBack, ticking } from './helpers.ts';

/** Three machines, each with a folder of its own; the carrier copies single files from one to another, in any order and state. */

const at = fc.nat(2);
const pick = fc.nat(1000);
const step = fc.oneof(
  fc.record({
    do: fc.constantFrom('user', 'log', 'edit', 'delete', 'delete user', 'merge', 'copy', 'set back', 'erase'),
    at,
    pick,
  }),
  fc.record({ do: fc.constant('sync'), at, pick }),
  fc.record({ do: fc.constantFrom('carry', 'half', 'double'), at, pick }),
);

const filesIn = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\w\.(sciatica|json)$/.test(name))
        .sort()
    : [];

class World {
  readonly #now = ticking();
  readonly stores = [0, 1, 2].map(() => machine(this.#now));
  readonly folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'sciatica-folders-')));
  readonly #copies: (string | undefined)[] = [];
  readonly #erased: string[] = [];
  readonly #merges: (readonly [string, string])[] = [];
  #tag = 0;

  store = (at: number) => this.stores[at] as Store;

  async run(at: number) {
    const path = this.folders[at] ?? '';
    const means = {
      store: this.store(at),
      remote: 'folder',
      path,
      cipher: new FolderCipher(null),
      now: this.#now,
    };
    const folder = await Folder.of(means);
    if (readdirSync(path).length === 0) await folder.join();
    return folder.sync({ acceptDeletions: true });
  }

  async step({ do: what, at, pick }: { do: string; at: number; pick: number }) {
    const store = this.store(at);
    const [users, logs] = [store.users.list(), store.logs.list()];
    const [owner, one] = [users[pick % (users.length || 1)], logs[pick % (logs.length || 1)]];
    const tag = `tag-${++this.#tag}`;
    if (what === 'user') store.users.create(user({ email: `${tag}@example.org` }));
    if (what === 'log' && owner) store.logs.create(log({ userId: owner.id, exerciseName: tag }));
    if (what === 'edit' && one) store.logs.update(one.id, { notes: tag });
    if (what === 'delete' && one) store.logs.delete(one.id);
    if (what === 'delete user' && owner && users.length > 2) store.users.delete(owner.id);
    const into = users[(pick >> 3) % (users.length || 1)];
    if (what === 'merge' && owner && into && into !== owner) {
      this.#merges.push([owner.email, into.email]);
      await isMerged(store, owner.id, into.id, this.#now());
    }
    if (what === 'copy') this.#copies[at] = copyOf(store);
    const copy = this.#copies[at];
    if (what === 'set back' && copy) this.stores[at] = setBack(store, copy, this.#now);
    if (what === 'erase' && owner && users.length > 2) {
      this.#erased.push(owner.email);
      store.erase(owner.id);
    }
    if (what === 'sync') await this.run(at);
    if (['carry', 'half', 'double'].includes(what))
      await this.#carry(at, (at + 1 + (pick % 2)) % 3, what, pick);
  }

  /** Copies one file of a machine to another one, whole or not. */
  async #carry(from: number, to: number, what: string, pick: number) {
    const own = `${(await this.store(from).replication()).id}/`;
    const files = filesIn(this.folders[from] ?? '').filter((name) => name.startsWith(own));
    const file = files[pick % (files.length || 1)];
    if (!file) return;
    const [source, target] = [join(this.folders[from] ?? '', file), join(this.folders[to] ?? '', file)];
    cpSync(source, what === 'double' ? target.replace(/\.(\w+)$/, ' (2).$1') : target);
    const bytes = readFileSync(source);
    if (what === 'half') writeFileSync(target, bytes.subarray(0, bytes.length / 2));
  }

  /** Carries all, and lets all read it, until everybody says the same. */
  async settle() {
    for (let round = 0; round < 6; round++) {
      for (const at of [0, 1, 2]) {
        await this.run(at);
        const store = this.store(at);
        const replication = await store.replication();
        if (store.remotes.erasedElsewhere().length > 0) store.eraseAsElsewhere();
        await this.run(at);
        for (const to of [0, 1, 2].filter((one) => one !== at)) {
          const own = join(this.folders[at] ?? '', replication.id);
          rmSync(join(this.folders[to] ?? '', replication.id), { recursive: true, force: true });
          cpSync(own, join(this.folders[to] ?? '', replication.id), { recursive: true });
        }
      }
    }
    // Who was ever merged into somebody erased may be erased as well.
    const gone = new Set(this.#erased);
    for (const _ of this.#merges) for (const [one, into] of this.#merges) if (gone.has(into)) gone.add(one);
    return [0, 1, 2].map((at) => contents(this.store(at), [...gone]));
  }

  close() {
    for (const store of this.stores) store.close();
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}

it('lets three machines come to hold the same, whatever the carrier does', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const world = new World();
      try {
        for (const one of steps) await world.step(one);
        const [first, second, third] = await world.settle();
        expect(second).toEqual(first);
        expect(third).toEqual(first);
      } finally {
        world.close();
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});

import { type KindName, statementsOf } from '../../../domain/kinds.ts';
import type { Known } from '../../reconcile/fold.ts';
import type { Names } from '../../reconcile/names.ts';
import { stampNow } from '../../reconcile/pointer.ts';
import { replacing, type Stamp, type State, type Statement } from '../../reconcile/state.ts';
import type { Database } from '../../sqlite/database.ts';

/**
 * What the undo of an import took back comes in again with the next import, though the undo was later than all that the file says; and
 * an export of this database itself brings back what was deleted since. Inside a change.
 */
export class UndoneImports {
  /** The uids of the changes that took imports back. */
  readonly #uids: ReadonlySet<number>;
  /** Of what is said anew. */
  readonly #stamp: Stamp;

  /** @param isOwn whether the file is of this database itself */
  constructor(
    private readonly db: Database,
    names: Names,
    private readonly isOwn: boolean,
  ) {
    this.#uids = new Set(db.column<number>(UNDOS_OF_IMPORTS));
    this.#stamp = stampNow(db, names);
  }

  /** The state of a file, with what is to count again. @param here the record here */
  again(state: State, { id, state: here }: Known): State {
    if (id === undefined || state.outside || (this.#uids.size === 0 && !this.isOwn)) return state;
    const isThere = state.life % 2 === 1;
    const isOther = isThere !== (here.life % 2 === 1) && state.life < here.life;
    const counts = isOther && ((isThere && this.isOwn) || this.#wasTakenBack(state.kind, id));
    const statements: Record<string, Statement> = { ...state.statements };
    for (const [group, names] of statementsOf(state.kind)) {
      const said = here.statements[group];
      const differs = names.some((name) => (state.fields?.[name] ?? null) !== (here.fields?.[name] ?? null));
      if (differs && said && this.#uids.has(said.stamp[1]) && statements[group])
        statements[group] = replacing(said, this.#stamp);
    }
    return { ...state, life: counts ? here.life + 1 : state.life, statements };
  }

  /** Whether the undo of an import was the last that happened to a record. */
  #wasTakenBack(kind: KindName, id: number): boolean {
    const uid = this.db.value<number>(
      `SELECT head.uid FROM history AS entry JOIN history AS head ON head.seq = entry.head
       WHERE entry.recordId = ? AND entry.record = ? ORDER BY entry.seq DESC LIMIT 1`,
      id,
      kind,
    );
    return uid !== undefined && this.#uids.has(uid);
  }
}

/** SQL: the uids of the changes that took imports back, or brought them again. */
const UNDOS_OF_IMPORTS = `WITH RECURSIVE
    reversals AS MATERIALIZED (SELECT change, undoes, uid FROM history WHERE undoes IS NOT NULL),
    undone (change, uid) AS (
      SELECT change, uid FROM reversals WHERE +undoes IN (SELECT change FROM history WHERE source = 'import')
      UNION ALL SELECT reversals.change, reversals.uid FROM undone JOIN reversals ON reversals.undoes = undone.change)
  SELECT uid FROM undone`;

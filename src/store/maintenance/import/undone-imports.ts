import { type KindName, statementsOf } from '../../../domain/kinds.ts';
import type { Known } from '../../reconcile/fold.ts';
import type { Names } from '../../reconcile/names.ts';
import { stampNow } from '../../reconcile/pointer.ts';
import { replacing, type Stamp, type State, type Statement } from '../../reconcile/state.ts';
import type { Database } from '../../sqlite/database.ts';

/**
 * Lets an import repeat what the undo of an import took back, although the undo is later than everything in the file. An export
 * of this database itself also restores what was deleted since. To be used inside a change.
 */
export class UndoneImports {
  /** The uids of the changes that undid imports, or redid them. */
  readonly #uids: ReadonlySet<number>;
  /** The stamp of statements that are made anew. */
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

  /** A state in the file as it is to be merged with the record here. */
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

  /** Whether the last history entry of a record is of such a change. */
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

/** SQL: the uids of the changes that undid imports, or undid such changes in turn. */
const UNDOS_OF_IMPORTS = `WITH RECURSIVE
    reversals AS MATERIALIZED (SELECT change, undoes, uid FROM history WHERE undoes IS NOT NULL),
    undone (change, uid) AS (
      SELECT change, uid FROM reversals WHERE +undoes IN (SELECT change FROM history WHERE source = 'import')
      UNION ALL SELECT reversals.change, reversals.uid FROM undone JOIN reversals ON reversals.undoes = undone.change)
  SELECT uid FROM undone`;

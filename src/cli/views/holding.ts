import { counted } from '../terminal/io.ts';

/** Counts of records. */
interface Holding {
  users: number;
  logs: number;
  routines: number;
  goals: number;
}

/** `1 user`, `3 logs`, `1 routine`: users and logs always, routines and goals if there are any. */
export function partsOfHolding({ users, logs, routines, goals }: Holding): string[] {
  return [
    counted(users, 'user'),
    counted(logs, 'log'),
    ...(routines > 0 ? [counted(routines, 'routine')] : []),
    ...(goals > 0 ? [counted(goals, 'goal')] : []),
  ];
}

/** `1 user, 3 logs and 1 routine` */
export function countedHolding(holding: Holding): string {
  const parts = partsOfHolding(holding);
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

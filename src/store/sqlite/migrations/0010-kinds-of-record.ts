/**
 * Any kind of record: the columns that name one are written by the triggers of its table, and no CHECK lists them any more. The
 * text is changed in place, as SQLite allows for removing a CHECK (https://sqlite.org/lang_altertable.html#otheralter): a long
 * history is not written anew. Released: never edit.
 */
export const sql = `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
    ' CHECK (record = ''log'' OR record = ''user'' OR record = ''routine'' OR record = ''goal'')', '')
  WHERE type = 'table' AND name IN ('history', 'counterparts');
  UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (record IN (''user'', ''log'', ''routine'', ''goal''))', '')
  WHERE type = 'table' AND name IN ('conflicts', 'pushes');
  PRAGMA writable_schema = RESET;
`;

/**
 * CHECKs of more than two words without IN, for which SQLite builds a table in memory with every row: that took a quarter
 * of SQLite's instructions for a new log. They say the same, so their text is changed in place
 * (https://sqlite.org/lang_altertable.html#otheralter). Released: never edit.
 */
export const sql = `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
    'source IN (''cli'', ''api'', ''import'', ''sync'', ''undo'', ''erase'')',
    'source = ''api'' OR source = ''cli'' OR source = ''import'' OR source = ''sync'' OR source = ''undo'' OR source = ''erase''')
  WHERE type = 'table' AND name = 'changes';
  UPDATE sqlite_schema SET sql = replace(replace(sql,
    'record IN (''user'', ''log'', ''routine'', ''goal'')',
    'record = ''log'' OR record = ''user'' OR record = ''routine'' OR record = ''goal'''),
    'action IN (''create'', ''update'', ''delete'', ''erase'')',
    'action = ''create'' OR action = ''update'' OR action = ''delete'' OR action = ''erase''')
  WHERE type = 'table' AND name IN ('history', 'counterparts');
  PRAGMA writable_schema = RESET;
`;

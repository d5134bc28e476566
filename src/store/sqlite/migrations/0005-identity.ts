/** A UUID of version 4, by which the ids of this database differ from those of any other. Released: never edit. */
export const sql = `
  INSERT INTO settings (name, value)
  SELECT 'id', substr(x, 1, 8) || '-' || substr(x, 9, 4) || '-4' || substr(x, 14, 3) || '-a' || substr(x, 18, 3) || '-' || substr(x, 21)
  FROM (SELECT lower(hex(randomblob(16))) AS x);
`;

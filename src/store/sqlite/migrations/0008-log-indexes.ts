/** Indexes for the lists that people ask for. Released: never edit. */
export const sql = `
  -- With every column, so that one user's logs are read from one place and not from a page each.
  CREATE INDEX logs_of_user ON logs (userId, id, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes);
  CREATE INDEX logs_by_user_and_date ON logs (userId, date);
  CREATE INDEX logs_by_name ON logs (exerciseName);
  DROP INDEX logs_by_user;
`;

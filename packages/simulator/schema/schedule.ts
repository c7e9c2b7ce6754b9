/** Tasks that run at a later time. */
export const SCHEDULE_SCHEMA = `
CREATE TABLE scheduledTask (
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  input TEXT NOT NULL,
  concurrencyGroup TEXT NOT NULL,
  dueAt INTEGER NOT NULL,
  retries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX scheduledTaskByDue ON scheduledTask (dueAt);
`

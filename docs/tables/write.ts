import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANSWER_TABLES, replaceAnswerTable } from './answer-tables.ts'
import { updateErrorTables } from './error-tables.ts'

/** `npm run docs:tables`: writes the tables of docs/errors.md and docs/providers/ anew after their sources have changed. */

update('errors.md', updateErrorTables)
for (const [dialect, answers] of Object.entries(ANSWER_TABLES))
  update(`providers/${dialect}.md`, page => replaceAnswerTable(page, answers))

function update(name: string, write: (page: string) => string): void {
  const file = join(import.meta.dirname, '..', name)
  writeFileSync(file, write(readFileSync(file, 'utf8')))
}

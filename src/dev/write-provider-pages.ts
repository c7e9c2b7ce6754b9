import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANSWER_TABLES, replaceAnswerTable } from '../providers/docs/answer-tables.ts'

/** `npm run docs:providers`: writes the tables of docs/providers/ anew after an adapter's table has changed. */
for (const [dialect, answers] of Object.entries(ANSWER_TABLES)) {
  const file = join(import.meta.dirname, '../../docs/providers', `${dialect}.md`)
  writeFileSync(file, replaceAnswerTable(readFileSync(file, 'utf8'), answers))
}

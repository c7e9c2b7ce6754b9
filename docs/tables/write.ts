import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDashboards } from '../../deploy/grafana/dashboards.ts'
import { GUIDE_LANGUAGES } from '../../src/api/docs/guide-pages.ts'
import { ANSWER_TABLES, replaceAnswerTable } from './answer-tables.ts'
import { updateErrorActions, updateErrorTables } from './error-tables.ts'
import { updateRetentionTable } from './retention-table.ts'
import { updateScopeTable } from './scope-table.ts'
import { updateStateTables } from './state-tables.ts'

/**
 * `npm run docs:tables`: writes the tables of docs/errors.md, docs/specification.md, docs/retention.md, docs/guide/ and docs/providers/, and
 * the dashboards of deploy/grafana, anew after their sources have changed.
 */

update('errors.md', updateErrorTables)
update('specification.md', updateScopeTable)
update('retention.md', updateRetentionTable)
for (const [dialect, answers] of Object.entries(ANSWER_TABLES))
  update(`providers/${dialect}.md`, page => replaceAnswerTable(page, answers))
for (const language of GUIDE_LANGUAGES) {
  update(`guide/${language}/states.md`, page => updateStateTables(page, language))
  update(`guide/${language}/errors.md`, page => updateErrorActions(page, language))
}

for (const [file, text] of buildDashboards())
  writeFileSync(join(import.meta.dirname, '../../deploy/grafana', file), text)

function update(name: string, write: (page: string) => string): void {
  const file = join(import.meta.dirname, '..', name)
  writeFileSync(file, write(readFileSync(file, 'utf8')))
}

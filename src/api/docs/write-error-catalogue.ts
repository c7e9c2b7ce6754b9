import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { updateErrorTables } from './error-catalogue.ts'

/** Regenerates the tables of docs/errors.md after a catalogue has changed (`npm run docs:errors`). */
const errorsDocument = join(import.meta.dirname, '../../../docs/errors.md')
writeFileSync(errorsDocument, updateErrorTables(readFileSync(errorsDocument, 'utf8')))

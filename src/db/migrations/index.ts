import type { MigrationObject } from '@mikro-orm/core'
import { Migration001_initial } from './Migration001_initial.ts'

/** The migrations of this release, in the order of their numbers; PostgreSQL stores the class names of those it has. */
export const MIGRATIONS: MigrationObject[] = [{ name: 'Migration001_initial', class: Migration001_initial }]

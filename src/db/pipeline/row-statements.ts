import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** The row of an entity as a flush has it: what PostgreSQL stores, by the names of its properties. */
export type FlushedRow = Record<string, unknown>

/** Of each entity, by what is written of it. */
const sqlByEntity = new WeakMap<EntityMetadata, Map<string, string | null>>()

/** Writes a new row; null of one that is for MikroORM to write: of what only the database knows, or can reckon. */
export function buildInsert(meta: EntityMetadata, row: FlushedRow): Statement | null {
  const names = Object.keys(row)
  const written = (columns: string[]) =>
    hasDatabaseDefaults(meta, row)
      ? null
      : `insert into ${quoteTableName(meta)} (${columns}) values (${columns.map(() => '?')})`
  return buildRowStatement(meta, 'insert', { names, row, buildSql: written })
}

/** Changes what is named of the row with that key; null as `insertOf`. */
export function buildUpdate(meta: EntityMetadata, key: unknown, row: FlushedRow): Statement | null {
  const [primary, ...others] = meta.getPrimaryProps()
  if (!primary || others.length > 0 || typeof key !== 'string') return null
  const names = Object.keys(row)
  const written = (columns: string[]) =>
    `update ${quoteTableName(meta)} set ${columns.map(column => `${column} = ?`)} where ${quoteColumnName(primary)} = ?`
  const statement =
    names.length > 0 ? buildRowStatement(meta, 'update', { names, row, buildSql: written }) : null
  return statement && { ...statement, values: [...statement.values, key] }
}

type RowStatementInput = { names: string[]; row: FlushedRow; buildSql: (columns: string[]) => string | null }

/** Its text is made once for all rows of which the same is written. Nobody looks at the answer. */
function buildRowStatement(
  meta: EntityMetadata,
  verb: string,
  { names, row, buildSql: written }: RowStatementInput,
): Statement | null {
  const made = sqlByEntity.get(meta) ?? new Map<string, string | null>()
  sqlByEntity.set(meta, made)
  const key = `${verb} ${names}`
  let sql = made.get(key)
  if (sql === undefined) {
    const properties = names.map(name => meta.properties[name as never] as EntityProperty | undefined)
    sql = properties.every(isPlainColumn) ? written(properties.map(quoteColumnName)) : null
    made.set(key, sql)
  }
  if (sql === null) return null
  const values = names.map(name => row[name])
  return values.every(isPlainValue) ? { ...prepareStatement(sql, values), discardResult: true } : null
}

/** What a new row gets from the database is read back. */
function hasDatabaseDefaults(meta: EntityMetadata, row: FlushedRow): boolean {
  return meta.props.some(
    ({ name, persist, autoincrement, generated, defaultRaw }) =>
      !(name in row) && (autoincrement || generated || (persist !== false && defaultRaw !== undefined)),
  )
}

/** One column, whose value stands in a statement as it is. */
function isPlainColumn(property: EntityProperty | undefined): property is EntityProperty {
  if (property?.fieldNames?.length !== 1) return false
  const { customType: type } = property
  return !type?.convertToDatabaseValueSQL || type.convertToDatabaseValueSQL('?', type.platform!) === '?'
}

function isPlainValue(value: unknown): boolean {
  if (value === undefined) return false
  return value === null || typeof value !== 'object' || value instanceof Date || Buffer.isBuffer(value)
}

const quoteIdentifier = (name: string) => `"${name}"`
const quoteTableName = ({ tableName }: EntityMetadata) => quoteIdentifier(tableName)
const quoteColumnName = ({ fieldNames }: EntityProperty) => quoteIdentifier(fieldNames[0]!)

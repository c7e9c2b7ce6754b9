import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import { keptStatement, type Statement } from './statements.ts'

/** The row of an entity as a flush has it: what PostgreSQL stores, by the names of its properties. */
export type FlushedRow = Record<string, unknown>

/** Of each entity, by what is written of it. */
const texts = new WeakMap<EntityMetadata, Map<string, string | null>>()

/** Writes a new row; null of one that is for MikroORM to write: of what only the database knows, or can reckon. */
export function insertOf(meta: EntityMetadata, row: FlushedRow): Statement | null {
  const names = Object.keys(row)
  const written = (columns: string[]) =>
    hasMore(meta, row) ? null : `insert into ${table(meta)} (${columns}) values (${columns.map(() => '?')})`
  return rowStatement(meta, 'insert', { names, row, written })
}

/** Changes what is named of the row with that key; null as `insertOf`. */
export function updateOf(meta: EntityMetadata, key: unknown, row: FlushedRow): Statement | null {
  const [primary, ...others] = meta.getPrimaryProps()
  if (!primary || others.length > 0 || typeof key !== 'string') return null
  const names = Object.keys(row)
  const written = (columns: string[]) =>
    `update ${table(meta)} set ${columns.map(column => `${column} = ?`)} where ${columnOf(primary)} = ?`
  const statement = names.length > 0 ? rowStatement(meta, 'update', { names, row, written }) : null
  return statement && { ...statement, values: [...statement.values, key] }
}

type Writing = { names: string[]; row: FlushedRow; written: (columns: string[]) => string | null }

/** Its text is made once for all rows of which the same is written. Nobody looks at the answer. */
function rowStatement(
  meta: EntityMetadata,
  verb: string,
  { names, row, written }: Writing,
): Statement | null {
  const made = texts.get(meta) ?? new Map<string, string | null>()
  texts.set(meta, made)
  const key = `${verb} ${names}`
  let sql = made.get(key)
  if (sql === undefined) {
    const properties = names.map(name => meta.properties[name as never] as EntityProperty | undefined)
    sql = properties.every(isColumn) ? written(properties.map(columnOf)) : null
    made.set(key, sql)
  }
  if (sql === null) return null
  const values = names.map(name => row[name])
  return values.every(isPlain) ? { ...keptStatement(sql, values), isUnheard: true } : null
}

/** What a new row gets from the database is read back. */
function hasMore(meta: EntityMetadata, row: FlushedRow): boolean {
  return meta.props.some(
    ({ name, persist, autoincrement, generated, defaultRaw }) =>
      !(name in row) && (autoincrement || generated || (persist !== false && defaultRaw !== undefined)),
  )
}

/** One column, whose value stands in a statement as it is. */
function isColumn(property: EntityProperty | undefined): property is EntityProperty {
  if (property?.fieldNames?.length !== 1) return false
  const { customType: type } = property
  return !type?.convertToDatabaseValueSQL || type.convertToDatabaseValueSQL('?', type.platform!) === '?'
}

function isPlain(value: unknown): boolean {
  if (value === undefined) return false
  return value === null || typeof value !== 'object' || value instanceof Date || Buffer.isBuffer(value)
}

const quoted = (name: string) => `"${name}"`
const table = ({ tableName }: EntityMetadata) => quoted(tableName)
const columnOf = ({ fieldNames }: EntityProperty) => quoted(fieldNames[0]!)

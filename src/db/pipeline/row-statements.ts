import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** Row of an entity as MikroORM's flush passes it: stored values by property name. */
export type FlushedRow = Record<string, unknown>

/** Statement texts per entity, by verb and written columns; null: MikroORM writes these itself. */
const sqlByEntity = new WeakMap<EntityMetadata, Map<string, string | null>>()

/** Builds the insert of a new row; null if MikroORM must write it, because PostgreSQL generates or computes a value. */
export function buildInsert(meta: EntityMetadata, row: FlushedRow): Statement | null {
  const names = Object.keys(row)
  const buildSql = (columns: string[]) =>
    hasDatabaseDefaults(meta, row)
      ? null
      : `insert into ${quoteTableName(meta)} (${columns}) values (${columns.map(() => '?')})`
  return buildRowStatement(meta, 'insert', { names, row, buildSql })
}

/** Builds the update of the named columns of the row with that key; null as in `buildInsert`. */
export function buildUpdate(meta: EntityMetadata, key: unknown, row: FlushedRow): Statement | null {
  const [primary, ...others] = meta.getPrimaryProps()
  if (!primary || others.length > 0 || typeof key !== 'string') return null
  const names = Object.keys(row)
  const buildSql = (columns: string[]) =>
    `update ${quoteTableName(meta)} set ${columns.map(column => `${column} = ?`)} where ${quoteColumnName(primary)} = ?`
  const statement = names.length > 0 ? buildRowStatement(meta, 'update', { names, row, buildSql }) : null
  return statement && { ...statement, values: [...statement.values, key] }
}

type RowStatementInput = { names: string[]; row: FlushedRow; buildSql: (columns: string[]) => string | null }

/** Builds a statement whose text is cached for all rows with the same columns. Its result is discarded. */
function buildRowStatement(
  meta: EntityMetadata,
  verb: string,
  { names, row, buildSql }: RowStatementInput,
): Statement | null {
  const texts = sqlByEntity.get(meta) ?? new Map<string, string | null>()
  sqlByEntity.set(meta, texts)
  const key = `${verb} ${names}`
  let sql = texts.get(key)
  if (sql === undefined) {
    const properties = names.map(name => meta.properties[name as never] as EntityProperty | undefined)
    sql = properties.every(isPlainColumn) ? buildSql(properties.map(quoteColumnName)) : null
    texts.set(key, sql)
  }
  if (sql === null) return null
  const values = names.map(name => row[name])
  return values.every(isPlainValue) ? { ...prepareStatement(sql, values), discardResult: true } : null
}

/** Returns whether PostgreSQL fills in a value of a new row, which MikroORM then reads back. */
function hasDatabaseDefaults(meta: EntityMetadata, row: FlushedRow): boolean {
  return meta.props.some(
    ({ name, persist, autoincrement, generated, defaultRaw }) =>
      !(name in row) && (autoincrement || generated || (persist !== false && defaultRaw !== undefined)),
  )
}

/** Returns whether a property is one column whose value is bound as it is. */
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

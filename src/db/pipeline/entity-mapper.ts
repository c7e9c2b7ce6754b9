import {
  type EntityClass,
  type EntityData,
  type EntityName,
  type EntityProperty,
  type FormulaColumns,
  wrap,
} from '@mikro-orm/core'
import type { EntityManager } from '../client/orm.ts'
import { type Query, query, type ResultRow } from './query.ts'

/** How rows of one entity are read by a statement that is written by hand. */
export type EntityMapper<T> = {
  /** Its columns, each under a name of its own, to stand in a `select`. */
  columns: string
  /** What a row says of it, as plain values; a to-one is the other's key. */
  mapRow(row: ResultRow): T
  /** The same as PostgreSQL stores it, for the unit of work. */
  readStoredValues(row: ResultRow): ResultRow
}

const mappersByMetadata = new WeakMap<object, Map<string, EntityMapper<unknown>>>()

/**
 * What is only shown is read without the unit of work, by the entity's own description. Building a statement and an
 * entity anew for each look-up costs several times what PostgreSQL needs to answer it; here it is done once. What is
 * lazy is read where it is named.
 */
export function getEntityMapper<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  alias: string,
  lazies: (keyof T & string)[] = [],
): EntityMapper<T> {
  const all = em.getMetadata()
  const readings = mappersByMetadata.get(all) ?? new Map<string, EntityMapper<unknown>>()
  mappersByMetadata.set(all, readings)
  const name = [entity.name, alias, ...lazies].join(' ')
  const found = readings.get(name) ?? createEntityMapper(em, entity, { alias, lazies })
  readings.set(name, found)
  return found as EntityMapper<T>
}

/**
 * Entities of this unit of work, read by a statement written once: what every step of money begins with. `rest` follows
 * the table's name, which is `r` in it. One that is known here already stays as it is, unless it is to be refreshed; of
 * one that only its key is known, the rest is.
 */
export function queryEntities<T extends { uuid: string }>(
  em: EntityManager,
  entity: EntityClass<T>,
  { rest, values, lazies, refresh = false }: EntitySelection<T>,
): Query<T[]> {
  const reading = getEntityMapper(em, entity, 'r', lazies)
  const { tableName } = em.getMetadata(entity)
  const name = entity as EntityName<T>
  const known = (row: ResultRow) => {
    const stored = reading.readStoredValues(row)
    const held = em.getUnitOfWork().getById<T>(entity, stored.uuid as never)
    if (!held) {
      const how = { merge: true, convertCustomTypes: true }
      return em.getEntityFactory().create<T>(name, stored as EntityData<T>, how)
    }
    if (!refresh && wrap(held).isInitialized()) return held
    return em.merge<T>(name, reading.mapRow(row) as EntityData<T>, { refresh: true }) // What was read lazily stays known.
  }
  return query(`select ${reading.columns} from ${tableName} r ${rest}`, values, rows => rows.map(known))
}

type EntitySelection<T> = {
  rest: string
  values: (string | null)[]
  lazies?: (keyof T & string)[]
  refresh?: boolean
}

function createEntityMapper<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  { alias, lazies }: { alias: string; lazies: string[] },
): EntityMapper<T> {
  const platform = em.getPlatform()
  const { props, tableName } = em.getMetadata(entity)
  const properties: EntityProperty[] = props.filter(({ fieldNames }) => fieldNames)
  const columnOf = ({ fieldNames }: EntityProperty) => `${alias}.${fieldNames[0]}`
  const columns = Object.fromEntries(properties.map(property => [property.name, columnOf(property)]))
  const table = { alias, name: tableName, qualifiedName: tableName, toString: () => alias }
  const read = properties.filter(({ name, lazy }) => !lazy || lazies.includes(name))
  const fields = read.map(property => {
    const { customType } = property
    const isMoment = property.runtimeType === 'Date'
    return {
      name: property.name,
      column: property.formula
        ? String(property.formula(columns as FormulaColumns<T>, table))
        : columnOf(property),
      as: `${alias}_${property.fieldNames[0]}`,
      stored: (told: unknown) => (isMoment && told !== null ? platform.parseDate(told as string) : told),
      value: (stored: unknown) =>
        stored !== null && customType ? customType.convertToJSValue(stored, platform) : stored,
    }
  })
  return {
    columns: fields.map(({ column, as }) => `${column} as ${as}`).join(', '),
    mapRow(row) {
      const read: ResultRow = {}
      for (const { name, as, stored, value } of fields) read[name] = value(stored(row[as]))
      return read as T
    },
    readStoredValues(row) {
      const read: ResultRow = {}
      for (const { name, as, stored } of fields) read[name] = stored(row[as])
      return read
    },
  }
}

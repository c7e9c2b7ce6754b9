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

/** Reads rows of one entity from hand-written statements. */
export type EntityMapper<T> = {
  /** Select list of the entity, each column under an alias of its own. */
  columns: string
  /** Maps a row to plain property values; a to-one relation becomes the other entity's key. */
  mapRow(row: ResultRow): T
  /** Maps a row to the values that PostgreSQL stores, as MikroORM's unit of work expects them. */
  readStoredValues(row: ResultRow): ResultRow
}

const mappersByMetadata = new WeakMap<object, Map<string, EntityMapper<unknown>>>()

/**
 * Returns the mapper of an entity, built once from its metadata, for reads outside the unit of work. Building a
 * statement and an entity for each look-up costs several times what PostgreSQL needs to answer it. `lazyProperties` names the
 * lazy properties to read as well.
 */
export function getEntityMapper<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  alias: string,
  lazyProperties: (keyof T & string)[] = [],
): EntityMapper<T> {
  const all = em.getMetadata()
  const mappers = mappersByMetadata.get(all) ?? new Map<string, EntityMapper<unknown>>()
  mappersByMetadata.set(all, mappers)
  const name = [entity.name, alias, ...lazyProperties].join(' ')
  const mapper = mappers.get(name) ?? createEntityMapper(em, entity, { alias, lazyProperties })
  mappers.set(name, mapper)
  return mapper as EntityMapper<T>
}

/**
 * Queries entities into this unit of work by a prepared statement; every money transaction begins with it. `rest`
 * follows the table name, whose alias is `r`. An entity that the unit of work has loaded stays as it is unless
 * `refresh` is set; a reference of which only the key is loaded is filled in.
 */
export function queryEntities<T extends { uuid: string }>(
  em: EntityManager,
  entity: EntityClass<T>,
  { rest, values, lazyProperties, refresh = false }: EntitySelection<T>,
): Query<T[]> {
  const mapper = getEntityMapper(em, entity, 'r', lazyProperties)
  const { tableName } = em.getMetadata(entity)
  const name = entity as EntityName<T>
  const toEntity = (row: ResultRow) => {
    const stored = mapper.readStoredValues(row)
    const loaded = em.getUnitOfWork().getById<T>(entity, stored.uuid as never)
    if (!loaded) {
      const options = { merge: true, convertCustomTypes: true }
      return em.getEntityFactory().create<T>(name, stored as EntityData<T>, options)
    }
    if (!refresh && wrap(loaded).isInitialized()) return loaded
    // `refresh` keeps lazy properties that were read before.
    return em.merge<T>(name, mapper.mapRow(row) as EntityData<T>, { refresh: true })
  }
  return query(`select ${mapper.columns} from ${tableName} r ${rest}`, values, rows => rows.map(toEntity))
}

/** Tells whether the unit of work has loaded rows of an entity. */
export function hasLoaded(em: EntityManager, entity: EntityClass<object>): boolean {
  return em.getUnitOfWork().getIdentityMap().getStore(em.getMetadata(entity)).size > 0
}

type EntitySelection<T> = {
  rest: string
  values: (string | string[] | null)[]
  lazyProperties?: (keyof T & string)[]
  refresh?: boolean
}

function createEntityMapper<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  { alias, lazyProperties }: { alias: string; lazyProperties: string[] },
): EntityMapper<T> {
  const platform = em.getPlatform()
  const { props, tableName } = em.getMetadata(entity)
  const properties: EntityProperty[] = props.filter(({ fieldNames }) => fieldNames)
  const columnOf = ({ fieldNames }: EntityProperty) => `${alias}.${fieldNames[0]}`
  const columns = Object.fromEntries(properties.map(property => [property.name, columnOf(property)]))
  const table = { alias, name: tableName, qualifiedName: tableName, toString: () => alias }
  const readable = properties.filter(({ name, lazy }) => !lazy || lazyProperties.includes(name))
  const fields = readable.map(property => {
    const { customType } = property
    const isMoment = property.runtimeType === 'Date'
    return {
      name: property.name,
      column: property.formula
        ? String(property.formula(columns as FormulaColumns<T>, table))
        : columnOf(property),
      as: `${alias}_${property.fieldNames[0]}`,
      stored: (raw: unknown) => (isMoment && raw !== null ? platform.parseDate(raw as string) : raw),
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

import type { EntityClass, EntityProperty } from '@mikro-orm/core'
import type { EntityManager } from './orm.ts'

/** How rows of one entity are read by a statement that is written by hand. */
export type Reading<T> = {
  /** Its columns, each under a name of its own, to stand in a `select`. */
  columns: string
  /** What a row says of it, as plain values; a to-one is the other's key. */
  of(row: Row): T
}
export type Row = Record<string, unknown>

const known = new WeakMap<object, Map<string, Reading<unknown>>>()

/**
 * What is only shown is read without the unit of work, by the entity's own description. Building a statement and an
 * entity anew for each look-up costs several times what PostgreSQL needs to answer it; here it is done once.
 */
export function readingOf<T extends object>(
  em: EntityManager,
  entity: EntityClass<T>,
  alias: string,
): Reading<T> {
  const all = em.getMetadata()
  const readings = known.get(all) ?? new Map<string, Reading<unknown>>()
  known.set(all, readings)
  const found = readings.get(`${entity.name} ${alias}`) ?? newReading(em, entity, alias)
  readings.set(`${entity.name} ${alias}`, found)
  return found as Reading<T>
}

function newReading<T extends object>(em: EntityManager, entity: EntityClass<T>, alias: string): Reading<T> {
  const platform = em.getPlatform()
  const properties = em.getMetadata(entity).props.filter(({ fieldNames, lazy }) => fieldNames && !lazy)
  const fields = properties.map((property: EntityProperty) => {
    const column = property.fieldNames[0]!
    const { customType } = property
    const isMoment = property.runtimeType === 'Date'
    return {
      ...{ name: property.name, column, as: `${alias}_${column}` },
      value: (stored: unknown) => {
        if (stored === null) return null
        if (isMoment) return platform.parseDate(stored as string)
        return customType ? customType.convertToJSValue(stored, platform) : stored
      },
    }
  })
  return {
    columns: fields.map(({ column, as }) => `${alias}.${column} as ${as}`).join(', '),
    of(row) {
      const read: Row = {}
      for (const { name, as, value } of fields) read[name] = value(row[as])
      return read as T
    },
  }
}

import { type AnyEntity, type ChangeSet, ChangeSetType } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'

type RowStatement = { sql: string; values: unknown[] }

/**
 * Returns a statement for each changed row of the unit of work, which then counts as written; new rows in the order of their
 * creation. Undefined where only `em.flush()` can write the changes: removed rows, collections, versioned
 * entities.
 */
export function takeRowChanges(em: EntityManager): RowStatement[] | undefined {
  const unitOfWork = em.getUnitOfWork()
  unitOfWork.computeChangeSets()
  const changeSets = unitOfWork.getChangeSets()
  if (unitOfWork.getCollectionUpdates().length > 0 || !changeSets.every(isPlainRow)) return undefined
  unitOfWork.clearActionsQueue()
  return changeSets.map(changeSet => {
    em.merge(changeSet.entity, { refresh: true }) // Its present values become those to compare with.
    return changeSet.type === ChangeSetType.CREATE ? insertOf(changeSet) : updateOf(changeSet)
  })
}

function isPlainRow({ type, meta }: ChangeSet<AnyEntity>): boolean {
  return (type === ChangeSetType.CREATE || type === ChangeSetType.UPDATE) && !meta.versionProperty
}

function insertOf({ meta, payload }: ChangeSet<AnyEntity>): RowStatement {
  const columns = columnsOf(meta, payload)
  return {
    sql: `insert into ${meta.tableName} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    values: Object.values(payload),
  }
}

/** A row that has vanished is an error: `require_changed_row`. */
function updateOf(changeSet: ChangeSet<AnyEntity>): RowStatement {
  const { meta, payload } = changeSet
  const key = changeSet.getPrimaryKey(true) as Record<string, unknown>
  const assign = (values: object) => columnsOf(meta, values).map(column => `${column} = ?`)
  return {
    sql: `with changed as (
       update ${meta.tableName} set ${assign(payload).join(', ')} where ${assign(key).join(' and ')} returning 1
     ) select require_changed_row(count(*), '${meta.tableName}') from changed`,
    values: [...Object.values(payload), ...Object.values(key)],
  }
}

function columnsOf({ properties }: ChangeSet<AnyEntity>['meta'], values: object): string[] {
  return Object.keys(values).map(name => Object(properties)[name].fieldNames[0])
}

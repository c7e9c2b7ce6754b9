import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { buildPauseCondition, type MoneyDirection, Pause, type PauseReach } from '../entities/pause.ts'
import { type Query, query } from '../pipeline/query.ts'
import { formatTextArray } from '../sql-conditions.ts'
import { recordOperatorAction } from './operator-actions.ts'

/** SPEC §9, `trilho pause`: while one stands nothing new begins where it reaches; what runs is still asked. */

/** The whole service, an account, or a connection. */
export type PauseTarget = 'all' | { accountUuid: string } | { connectionUuid: string }

export type PauseRequest = { target: PauseTarget; reach: PauseReach; who: string; reason: string }

/** Whether nothing of the direction may begin through the connection now; never remembered. */
export function queryIsPaused(connectionUuid: string, direction: MoneyDirection): Query<boolean> {
  return queryIsAnyPaused([connectionUuid], direction)
}

/** The same of any of several connections. */
export function queryIsAnyPaused(connectionUuids: string[], direction: MoneyDirection): Query<boolean> {
  const paused = buildPauseCondition(direction, { uuid: 'c.uuid', accountUuid: 'c.account_uuid' })
  const sql = `select from connection c where c.uuid = any(?::uuid[]) and ${paused} limit 1`
  return query(sql, [formatTextArray(connectionUuids)], rows => rows.length > 0)
}

/**
 * Begins a pause, or changes how far one reaches; every process sees it with its next request. One that stands keeps its
 * time, since when no money has left: either reach stops that.
 */
export async function startPause(em: EntityManager, { target, ...order }: PauseRequest): Promise<void> {
  await em.transactional(async tx => {
    await tx.upsert(
      Pause,
      { uuid: randomUUID(), ...getPauseTargetColumns(target), ...order, createdAt: new Date() },
      {
        onConflictFields: ['accountUuid', 'connectionUuid'],
        onConflictExcludeFields: ['uuid', 'createdAt'],
      },
    )
    await recordOperatorAction(tx, {
      act: `pause_${order.reach}`,
      subject: formatPauseSubject(target),
      ...order,
    })
  })
}

/** A pause as a person saw it. */
export type ExpectedPause = { uuid: string; reach: PauseReach }

/**
 * Ends the pause of a target, where given only one that still is as it was seen; false where none is, and then nothing is
 * written down.
 */
export function endPause(
  em: EntityManager,
  { target, who, reason, seen }: Omit<PauseRequest, 'reach'> & { seen?: ExpectedPause },
): Promise<boolean> {
  return em.transactional(async tx => {
    if ((await tx.nativeDelete(Pause, { ...getPauseTargetColumns(target), ...seen })) === 0) return false
    await recordOperatorAction(tx, { who, act: 'resume', subject: formatPauseSubject(target), reason })
    return true
  })
}

/** The pause of a target, where one stands. */
export function findPause(em: EntityManager, target: PauseTarget): Promise<Pause | null> {
  return em.fork().findOne(Pause, getPauseTargetColumns(target))
}

function getPauseTargetColumns(target: PauseTarget): {
  accountUuid: string | null
  connectionUuid: string | null
} {
  return { accountUuid: null, connectionUuid: null, ...(target !== 'all' && target) }
}

function formatPauseSubject(target: PauseTarget): string {
  if (target === 'all') return 'all'
  return 'accountUuid' in target ? `account/${target.accountUuid}` : `connection/${target.connectionUuid}`
}

import { randomUUID } from 'node:crypto'
import { recordAct } from './acts.ts'
import { type MoneyDirection, Pause, type PauseReach, pausedFor } from './entities/pause.ts'
import type { EntityManager } from './orm.ts'
import { type Question, question } from './questions.ts'
import { textArray } from './where.ts'

/** SPEC §9, `trilho pause`: while one stands nothing new begins where it reaches; what runs is still asked. */

/** The whole service, an account, or a connection. */
export type PauseTarget = 'all' | { accountUuid: string } | { connectionUuid: string }

export type PauseOrder = { target: PauseTarget; reach: PauseReach; who: string; reason: string }

/** Whether nothing of the direction may begin through the connection now; never remembered. */
export function isPaused(connectionUuid: string, direction: MoneyDirection): Question<boolean> {
  return isAnyPaused([connectionUuid], direction)
}

/** The same of any of several connections. */
export function isAnyPaused(connectionUuids: string[], direction: MoneyDirection): Question<boolean> {
  const paused = pausedFor(direction, { uuid: 'c.uuid', accountUuid: 'c.account_uuid' })
  const sql = `select from connection c where c.uuid = any(?::uuid[]) and ${paused} limit 1`
  return question(sql, [textArray(connectionUuids)], rows => rows.length > 0)
}

/**
 * Begins a pause, or changes how far one reaches; every process sees it with its next request. One that stands keeps its
 * time, since when no money has left: either reach stops that.
 */
export async function beginPause(em: EntityManager, { target, ...order }: PauseOrder): Promise<void> {
  await em.transactional(async tx => {
    await tx.upsert(
      Pause,
      { uuid: randomUUID(), ...columnsOf(target), ...order, createdAt: new Date() },
      {
        onConflictFields: ['accountUuid', 'connectionUuid'],
        onConflictExcludeFields: ['uuid', 'createdAt'],
      },
    )
    await recordAct(tx, { act: `pause_${order.reach}`, subject: subjectOf(target), ...order })
  })
}

/** A pause as a person saw it. */
export type SeenPause = { uuid: string; reach: PauseReach }

/**
 * Ends the pause of a target, where given only one that still is as it was seen; false where none is, and then nothing is
 * written down.
 */
export function endPause(
  em: EntityManager,
  { target, who, reason, seen }: Omit<PauseOrder, 'reach'> & { seen?: SeenPause },
): Promise<boolean> {
  return em.transactional(async tx => {
    if ((await tx.nativeDelete(Pause, { ...columnsOf(target), ...seen })) === 0) return false
    await recordAct(tx, { who, act: 'resume', subject: subjectOf(target), reason })
    return true
  })
}

/** The pause of a target, where one stands. */
export function pauseOf(em: EntityManager, target: PauseTarget): Promise<Pause | null> {
  return em.fork().findOne(Pause, columnsOf(target))
}

function columnsOf(target: PauseTarget): { accountUuid: string | null; connectionUuid: string | null } {
  return { accountUuid: null, connectionUuid: null, ...(target !== 'all' && target) }
}

function subjectOf(target: PauseTarget): string {
  if (target === 'all') return 'all'
  return 'accountUuid' in target ? `account/${target.accountUuid}` : `connection/${target.connectionUuid}`
}

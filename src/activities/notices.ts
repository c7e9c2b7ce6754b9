import { raw } from '@mikro-orm/core'
import { Notice } from '../db/entities/notice.ts'
import { loggable } from '../db/loggable.ts'
import { handOver } from '../engine/notices.ts'
import type { Engine } from '../engine/start.ts'
import type { Dependencies } from './dependencies.ts'
import { isToEnd } from './ending.ts'

/**
 * At most this many at a time, whichever: some may wait long, for the rebuild of a restored database, and are no reason for
 * others to wait behind them.
 */
const MOST = 500
/** A younger notice is still in the hands of the request that brought it. */
const OLDER_THAN_MS = 10_000

/** Hands over the notices that no life has taken yet; answers how many it looked at and how many it handed over. */
export function sweepNotices({ orm, log }: Dependencies, engine: Engine, most = MOST) {
  return async (): Promise<{ waiting: number; handedOver: number }> => {
    const em = orm.em.fork()
    const waiting = await em.find(
      Notice,
      { handedAt: null, receivedAt: { $lt: new Date(Date.now() - OLDER_THAN_MS / engine.timeScale) } },
      { orderBy: { [raw('random()')]: 'asc' }, limit: most },
    )
    let handedOver = 0
    for (const notice of waiting) {
      if (isToEnd()) break
      // One that cannot be handed over must not keep the others waiting.
      const isTaken = await handOver(engine, em, notice).catch(error =>
        log.warn({ error: loggable(error), notice: notice.uuid }, 'notice not handed over'),
      )
      if (isTaken) handedOver += 1
    }
    return { waiting: waiting.length, handedOver }
  }
}

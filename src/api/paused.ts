import type { Connection } from '../db/entities/connection.ts'
import type { MoneyDirection } from '../db/entities/pause.ts'
import type { EntityManager } from '../db/orm.ts'
import { isPaused } from '../db/pauses.ts'
import { ask } from '../db/questions.ts'
import { refuse } from './errors.ts'
import { PAUSED_RETRY_S } from './limits.ts'

/** The candidates through which something new may begin; 503 where all of them are paused (SPEC §9). */
export function unpaused(candidates: Connection[], direction: MoneyDirection): string[] {
  const left = candidates.filter(one => !(direction === 'in' ? one.isPausedIn : one.isPausedOut))
  if (left.length === 0) refusePaused()
  return left.map(({ uuid }) => uuid)
}

/** The same of money that can only go back through the connection it came by. */
export async function requireUnpaused(em: EntityManager, connectionUuid: string): Promise<void> {
  if (await ask(em, isPaused(connectionUuid, 'out'))) refusePaused()
}

function refusePaused(): never {
  refuse('paused', { retryAfterS: PAUSED_RETRY_S })
}

import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import { takePaceTurn } from '../db/repositories/provider-paces.ts'
import type { SharedAccess, TakeTurn } from '../providers/shared-access.ts'
import type { Sealer } from '../security/sealing.ts'
import { createTokenSharing } from './access-tokens.ts'
import { createPostgresLimit } from './postgres-limit.ts'

type SharedAccessOptions = {
  orm: Orm
  sealer: Pick<Sealer, 'seal' | 'open'>
  log: Logger
  /** Divides the intervals of paces, as it divides all waits; 1 in production. */
  timeScale: number
}

/** Creates what all processes share of provider accounts, over PostgreSQL: access tokens and paces. */
export function createSharedAccess({ orm, sealer, log, timeScale }: SharedAccessOptions): SharedAccess {
  const askPostgres = createPostgresLimit(log)
  return account => {
    const { providerAccountUuid } = account
    const takeTurn: TakeTurn = async (kind, { perSecond, burst }, maxWaitMs) => {
      const pace = { perSecond: perSecond * timeScale, burst }
      const turn = { providerAccountUuid, kind, pace, maxWaitMs }
      const waitMs = await askPostgres(() => takePaceTurn(orm.em.fork(), turn))
      return waitMs === undefined ? 0 : waitMs
    }
    return { takeTurn, shareToken: createTokenSharing({ orm, sealer, askPostgres, account, takeTurn }) }
  }
}

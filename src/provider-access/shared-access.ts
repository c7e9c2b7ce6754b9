import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import { takePacePlace, takePaceTurn } from '../db/repositories/provider-paces.ts'
import type { Pace } from '../domain/providers/capabilities.ts'
import type { SharedAccess, TakePlace, TakeTurn } from '../providers/shared-access.ts'
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
    const scalePace = ({ perSecond, burst }: Pace) => ({ perSecond: perSecond * timeScale, burst })
    const takeTurn: TakeTurn = async (kind, pace, maxWaitMs, rank = 'first') => {
      const turn = { providerAccountUuid, kind, pace: scalePace(pace), maxWaitMs, rank }
      const waitMs = await askPostgres(() => takePaceTurn(orm.em.fork(), turn))
      return waitMs === undefined ? 0 : waitMs
    }
    const takePlace: TakePlace = async (kind, unscaledPace, maxWaitMs, isItem = false) => {
      const pace = scalePace(unscaledPace)
      const place = { providerAccountUuid, kind, pace, maxWaitMs, isItem }
      const waitMs = await askPostgres(() => takePacePlace(orm.em.fork(), place))
      return waitMs === undefined ? 1_000 / pace.perSecond : waitMs
    }
    return {
      takeTurn,
      takePlace,
      shareToken: createTokenSharing({ orm, sealer, askPostgres, account, takeTurn }),
    }
  }
}

import type { Logger } from 'pino'
import { recordAct } from '../db/acts.ts'
import type { EntityManager, Orm } from '../db/orm.ts'
import { keepUnexplained, type UnexplainedRow, unexplainedAnswer } from '../db/unexplained.ts'
import type { UnexplainedAnswer } from '../providers/unexplained.ts'
import type { Sealer } from '../sealing.ts'

/** The connection that an answer came through. */
type AnsweredThrough = { uuid: string; provider: string }
type UnexplainedCount = { provider: string; operation: string; kind: string; name: string }

type RecorderOptions = {
  orm: Orm
  sealer: Pick<Sealer, 'seal' | 'mac'>
  log: Logger
  /** Counts each answer for the metrics of this process. */
  count?: (answer: UnexplainedCount) => void
}

/** The lists whose periods the reconciliation asks for again; an item of another stays no longer than other answers. */
const LISTED_AGAIN = ['statement', 'listMeds']
/** Characters of an answer that are kept. */
const MOST_CHARACTERS = 64 * 1024
/** The call whose answer it is waits no longer than this. */
const LONGEST_MS = 1_000
/** So many are written at a time; a provider that answers so to every call must not take the pool. */
const MOST_AT_ONCE = 4
const MOST_WAITING = 200

/**
 * Records answers that no published document explains: sealed in the table, counted, and logged by name. A recorder never
 * throws and never keeps a call longer than a second; what it cannot write is logged without the answer.
 */
export function unexplainedRecorder({ orm, sealer, log, count }: RecorderOptions) {
  let underWay = 0
  const waiting: (() => void)[] = []

  async function write(connectionUuid: string, answer: UnexplainedAnswer): Promise<void> {
    if (underWay >= MOST_AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw new Error('too many answers wait to be written')
      await new Promise<void>(resolve => waiting.push(resolve))
    } else underWay += 1
    try {
      const { body, period } = answer
      await keepUnexplained(orm.em.fork(), {
        connectionUuid,
        ...namesOf(answer),
        status: answer.status,
        sealedBody: sealer.seal(body.slice(0, MOST_CHARACTERS)),
        isCut: body.length > MOST_CHARACTERS,
        digest: sealer.mac(body),
        period: period && LISTED_AGAIN.includes(answer.operation) ? period : null,
      })
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }

  return async (
    { uuid: connection, provider }: AnsweredThrough,
    answer: UnexplainedAnswer,
  ): Promise<void> => {
    try {
      const { operation, kind, name } = namesOf(answer)
      const facts = { connection, operation, kind, status: answer.status, name }
      count?.({ provider, operation, kind, name })
      log.warn(facts, 'a provider answered what its documents do not explain')
      const written = write(connection, answer).catch((error: unknown) =>
        log.error({ ...facts, type: Object(error).name, code: Object(error).code }, 'answer not recorded'),
      )
      await Promise.race([written, limit()])
    } catch (error) {
      log.error({ connection, type: Object(error).name }, 'answer not recorded')
    }
  }
}

/** Whatever an adapter takes for a name, it is short and plain here; PostgreSQL stores no NUL. */
function namesOf({ operation, kind, name, reference }: UnexplainedAnswer) {
  return {
    operation: plain(operation),
    kind,
    name: plain(name),
    reference: reference?.replaceAll('\0', '').slice(0, 255) ?? null,
  }
}

function plain(name: string): string {
  return name.replaceAll(/[^\w.:-]+/g, '_').slice(0, 80)
}

function limit(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, LONGEST_MS).unref())
}

/** Who opens an answer, and why; kept in the log of acts. */
type Opening = { uuid: string; who: string; reason: string }

/** Opens the sealed body of one answer for an operator, in the transaction that records the act; undefined where there is none. */
export function openUnexplained(
  em: EntityManager,
  sealer: Pick<Sealer, 'open'>,
  { uuid, who, reason }: Opening,
): Promise<(UnexplainedRow & { body: string }) | undefined> {
  return em.fork().transactional(async tx => {
    const found = await unexplainedAnswer(tx, uuid)
    if (!found) return undefined
    const { sealed_body, ...row } = found
    await recordAct(tx, { who, act: 'open_answer', subject: `answer/${uuid}`, reason })
    return { ...row, body: sealer.open<string>(sealed_body) }
  })
}

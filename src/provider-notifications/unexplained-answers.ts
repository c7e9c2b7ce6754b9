import type { Logger } from 'pino'
import type { EntityManager, Orm } from '../db/client/orm.ts'
import { recordOperatorAction } from '../db/repositories/operator-actions.ts'
import {
  findUnexplainedAnswer,
  storeUnexplainedAnswer,
  type UnexplainedRow,
} from '../db/repositories/unexplained-answers.ts'
import type { UnexplainedAnswer } from '../providers/adapter/unexplained-answers.ts'
import type { Sealer } from '../security/sealing.ts'

/** The connection that an answer came through. */
type AnsweringConnection = { uuid: string; provider: string }
type UnexplainedAnswerLabels = { provider: string; operation: string; kind: string; name: string }

type UnexplainedAnswerRecorderOptions = {
  orm: Orm
  sealer: Pick<Sealer, 'seal' | 'mac'>
  log: Logger
  /** Counts each answer for the metrics of this process. */
  count?: (answer: UnexplainedAnswerLabels) => void
}

/** The lists whose periods the reconciliation asks for again; an item of another stays no longer than other answers. */
const RELISTED_OPERATIONS = ['statement', 'listDisputes']
/** Characters of an answer that are kept. */
const MAX_CHARACTERS = 64 * 1024
/** The call whose answer it is waits no longer than this. */
const MAX_WAIT_MS = 1_000
/** So many are written at a time; a provider that answers so to every call must not take the pool. */
const MAX_CONCURRENT_WRITES = 4
const MAX_QUEUED_WRITES = 200

/**
 * Records answers that no published document explains: sealed in the table, counted, and logged by name. A recorder never
 * throws and never keeps a call longer than a second; what it cannot write is logged without the answer.
 */
export function createUnexplainedAnswerRecorder({
  orm,
  sealer,
  log,
  count,
}: UnexplainedAnswerRecorderOptions) {
  let underWay = 0
  const waiting: (() => void)[] = []

  async function write(connectionUuid: string, answer: UnexplainedAnswer): Promise<void> {
    if (underWay >= MAX_CONCURRENT_WRITES) {
      if (waiting.length >= MAX_QUEUED_WRITES) throw new Error('too many answers wait to be written')
      await new Promise<void>(resolve => waiting.push(resolve))
    } else underWay += 1
    try {
      const { body, period } = answer
      await storeUnexplainedAnswer(orm.em.fork(), {
        connectionUuid,
        ...normalizeLabels(answer),
        status: answer.status,
        sealedBody: sealer.seal(body.slice(0, MAX_CHARACTERS)),
        isCut: body.length > MAX_CHARACTERS,
        digest: sealer.mac(body),
        period: period && RELISTED_OPERATIONS.includes(answer.operation) ? period : null,
      })
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }

  return async (
    { uuid: connection, provider }: AnsweringConnection,
    answer: UnexplainedAnswer,
  ): Promise<void> => {
    try {
      const { operation, kind, name } = normalizeLabels(answer)
      const facts = { connection, operation, kind, status: answer.status, name }
      count?.({ provider, operation, kind, name })
      log.warn(facts, 'a provider answered what its documents do not explain')
      const written = write(connection, answer).catch((error: unknown) =>
        log.error({ ...facts, type: Object(error).name, code: Object(error).code }, 'answer not recorded'),
      )
      await Promise.race([written, waitForLimit()])
    } catch (error) {
      log.error({ connection, type: Object(error).name }, 'answer not recorded')
    }
  }
}

/** Whatever an adapter takes for a name, it is short and plain here; PostgreSQL stores no NUL. */
function normalizeLabels({ operation, kind, name, reference }: UnexplainedAnswer) {
  return {
    operation: normalizeLabel(operation),
    kind,
    name: normalizeLabel(name),
    reference: reference?.replaceAll('\0', '').slice(0, 255) ?? null,
  }
}

function normalizeLabel(name: string): string {
  return name.replaceAll(/[^\w.:-]+/g, '_').slice(0, 80)
}

function waitForLimit(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, MAX_WAIT_MS).unref())
}

/** Who opens an answer, and why; kept in the log of acts. */
type OpenAnswerRequest = { uuid: string; who: string; reason: string }

/** Opens the sealed body of one answer for an operator, in the transaction that records the act; undefined where there is none. */
export function openUnexplainedAnswer(
  em: EntityManager,
  sealer: Pick<Sealer, 'open'>,
  { uuid, who, reason }: OpenAnswerRequest,
): Promise<(UnexplainedRow & { body: string }) | undefined> {
  return em.fork().transactional(async tx => {
    const found = await findUnexplainedAnswer(tx, uuid)
    if (!found) return undefined
    const { sealed_body, ...row } = found
    await recordOperatorAction(tx, { who, act: 'open_answer', subject: `answer/${uuid}`, reason })
    return { ...row, body: sealer.open<string>(sealed_body) }
  })
}

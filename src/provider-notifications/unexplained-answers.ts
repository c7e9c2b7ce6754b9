import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Orm } from '../db/client/orm.ts'
import { storeUnexplainedAnswer } from '../db/repositories/unexplained-answers.ts'
import type { UnexplainedAnswer } from '../providers/adapter/unexplained-answers.ts'
import type { Sealer } from '../security/sealing.ts'

type AnsweringConnection = { uuid: string }

type UnexplainedAnswerRecorderOptions = {
  orm: Orm
  sealer: Pick<Sealer, 'seal' | 'mac'>
  log: Logger
}

/** Lists whose periods reconciliation requests again; items of others are kept only as long as other answers. */
const RELISTED_OPERATIONS = ['statement', 'listDisputes']
/** Stored characters of an answer. */
const MAX_CHARACTERS = 64 * 1024
/** Longest time that recording may delay the call, in milliseconds. */
const MAX_WAIT_MS = 1_000
/** Concurrent writes: a provider that answers every call this way must not exhaust the connection pool. */
const MAX_CONCURRENT_WRITES = 4
const MAX_QUEUED_WRITES = 200

/**
 * Creates a recorder of answers that no published document explains: sealed in the table and logged by name. The
 * recorder never throws and never delays a call by more than a second; what it cannot write is logged without the
 * answer.
 */
export function createUnexplainedAnswerRecorder({ orm, sealer, log }: UnexplainedAnswerRecorderOptions) {
  let activeWrites = 0
  const queue: (() => void)[] = []

  async function write(connectionUuid: string, answer: UnexplainedAnswer): Promise<void> {
    if (activeWrites >= MAX_CONCURRENT_WRITES) {
      if (queue.length >= MAX_QUEUED_WRITES)
        throw new Error('too many unexplained responses wait to be stored')
      await new Promise<void>(resolve => queue.push(resolve))
    } else activeWrites += 1
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
      const next = queue.shift()
      if (next) next()
      else activeWrites -= 1
    }
  }

  return async ({ uuid: connection }: AnsweringConnection, answer: UnexplainedAnswer): Promise<void> => {
    try {
      const { operation, kind, name } = normalizeLabels(answer)
      const facts = { connection, operation, kind, status: answer.status, name }
      log.warn(facts, 'unexplained response of a provider')
      const written = write(connection, answer).catch((error: unknown) =>
        log.error(
          { ...facts, type: Object(error).name, code: Object(error).code },
          'unexplained response not recorded',
        ),
      )
      await Promise.race([written, pause(MAX_WAIT_MS, undefined, { ref: false })])
    } catch (error) {
      log.error({ connection, type: Object(error).name }, 'unexplained response not recorded')
    }
  }
}

/** Makes an adapter's names short and plain; PostgreSQL stores no NUL. */
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

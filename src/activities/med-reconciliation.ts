import { randomUUID } from 'node:crypto'
import type { Connection } from '../db/entities/connection.ts'
import { Med } from '../db/entities/med.ts'
import { Notice } from '../db/entities/notice.ts'
import type { EntityManager } from '../db/orm.ts'
import { stepsTo } from '../domain/med.ts'
import { type MedFacts, TELLS_OF_MEDS } from '../domain/med-facts.ts'
import { DIALECTS } from '../domain/provider.ts'
import { medUuidOf } from '../engine/meds.ts'
import { handOver } from '../engine/notices.ts'
import type { Engine } from '../engine/start.ts'
import type { Provider } from '../providers/port.ts'
import { sha256 } from '../sealing.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { isToEnd, throwIfToEnd, unlessToEnd } from './ending.ts'
import { matchReturns } from './recorded-returns.ts'

type Listing = {
  connection: Connection
  provider: Provider
  from: string
  to: string
  /** Whether what was told before and is still news is told again. */
  tellsAgain: boolean
}

/** How many facts were told; why the provider did not list its disputes, where it did not. */
type Repaired = { repaired: number; noAnswer?: string }

/**
 * Tells the lives of disputes what a provider lists and we do not know yet: one whose notice was lost, or whose provider
 * sends none. Through the inbox, like any notice, and each fact once.
 */
export async function repairMeds(
  engine: Engine,
  em: EntityManager,
  { connection, provider, from, to, tellsAgain }: Listing,
): Promise<Repaired> {
  const listed = await unlessToEnd(provider.listMeds(from, to))
  if (listed.kind === 'no_answer') return { repaired: 0, noAnswer: listed.code }
  let repaired = 0
  for (const facts of listed.meds) {
    throwIfToEnd()
    if (!(await isNews(em, connection, facts))) continue
    const { id, status, closed, returns } = facts
    const body = JSON.stringify({ reconciliation: { id, status, closed, returns } })
    const digest = sha256(body)
    const before = await em.findOne(Notice, { connectionUuid: connection.uuid, digest })
    // Its life may have asked before the provider's look-ups knew, or before its PIX was here.
    if (before && tellsAgain) await handOver(engine, em, before)
    if (before) continue
    const notice = em.create(Notice, {
      uuid: randomUUID(),
      connectionUuid: connection.uuid,
      digest,
      kind: 'med',
      reference: id,
      endToEnd: facts.endToEnd,
      body,
      requestId: randomUUID(),
    })
    await em.flush()
    await handOver(engine, em, notice)
    repaired += 1
  }
  return { repaired }
}

/** A dispute opens at any time and holds money: providers that tell of none are asked so far back, often. */
const SWEPT_MS = 60 * 60_000
/** So many are asked at a time; one that does not answer keeps only its own place. */
const AT_ONCE = 8

/** A round asks the ones that waited longest: a few at once, and never more than a twentieth of many. */
const A_ROUND = 25
const ROUNDS = 20

/** Asks providers that send no notices of disputes for those that opened lately; answers how many were new. */
export function sweepMeds(dependencies: Dependencies, engine: Engine) {
  return async (): Promise<{ asked: number; told: number }> => {
    const waiting = await nextToAsk(dependencies.orm.em.fork())
    const asked = waiting.length
    let told = 0
    const askAll = async () => {
      for (let uuid = waiting.pop(); uuid !== undefined && !isToEnd(); uuid = waiting.pop())
        told += await sweep(dependencies, engine, uuid)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, askAll))
    return { asked, told }
  }
}

/** One connection of each provider account whose turn it is; it is the last in line again from now on. */
async function nextToAsk(em: EntityManager): Promise<string[]> {
  const silent = DIALECTS.filter(dialect => !TELLS_OF_MEDS[dialect])
  const rows: { uuid: string }[] = await em.execute(
    `with due as (
       select p.uuid from provider_account p
       where exists (select from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[]))
       order by p.meds_asked_at nulls first
       limit (select greatest(${A_ROUND}, ceil(count(*) / ${ROUNDS}.0)) from provider_account)
       for update skip locked
     )
     update provider_account p set meds_asked_at = now() from due where p.uuid = due.uuid
     returning (select c.uuid from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[])
                order by c.status = 'ACTIVE' desc, c.created_at limit 1) as uuid`,
    [silent, silent],
  )
  return rows.map(row => row.uuid)
}

/** One that cannot be asked now is asked next time, and must not keep the others from it. */
async function sweep(dependencies: Dependencies, engine: Engine, connectionUuid: string): Promise<number> {
  const em = dependencies.orm.em.fork()
  const to = Date.now()
  try {
    const reached = await reach(dependencies, em, connectionUuid)
    const { repaired } = await repairMeds(engine, em, {
      ...reached,
      from: new Date(to - SWEPT_MS).toISOString(),
      to: new Date(to).toISOString(),
      tellsAgain: false,
    })
    return repaired
  } catch (error) {
    const type = error instanceof Error ? error.name : 'unknown'
    dependencies.log.warn({ connection: connectionUuid, type }, 'disputes not listed')
    return 0
  }
}

async function isNews(
  em: EntityManager,
  { providerAccountUuid }: Connection,
  facts: MedFacts,
): Promise<boolean> {
  const med = await em.findOne(Med, medUuidOf({ providerAccountUuid, providerMedId: facts.id }))
  if (!med || stepsTo(med.state, facts).length > 0) return true
  const movementType = med.kind === 'RECEIVED_MED' ? ('OUT' as const) : ('IN' as const)
  const pix = { providerAccountUuid, movementType, names: [med.endToEnd] }
  return (await matchReturns(em, pix, facts.returns)).news.length > 0
}

import type { Notice, NoticeOutcome } from '../db/entities/notice.ts'
import { type Question, question } from '../db/questions.ts'
import { medUuidOf } from './meds.ts'
import type { Engine } from './start.ts'
import { tellMed } from './tell.ts'
import { hint, type Told } from './told.ts'

/** Notices about disputes, and about a PIX that may have some. */

/** A dispute is known by its provider's own id; its life opens it, or looks at what is new. */
export async function medTaker(engine: Engine, { notice, connection }: Told): Promise<NoticeOutcome> {
  const { providerAccountUuid, uuid: connectionUuid } = connection
  const { endToEnd = null, requestId } = notice
  const providerMedId = notice.reference!
  const uuid = medUuidOf({ providerAccountUuid, providerMedId })
  await tellMed(engine, { uuid, connectionUuid, providerMedId, endToEnd, requestId }, hint(notice))
  return 'taken'
}

/** The disputes about a PIX, by their provider's ids. */
export function disputesOf({
  providerAccountUuid,
  endToEnd,
}: {
  providerAccountUuid: string
  endToEnd?: string | null
}): Question<string[]> {
  return question(
    'select provider_med_id as reference from med where provider_account_uuid = ? and end_to_end = ?',
    [providerAccountUuid, endToEnd ?? null],
    rows => rows.map(({ reference }) => reference as string),
  )
}

/** Tells each of them; whether there is one. */
export async function disputesTaker(
  engine: Engine,
  { notice, connection }: Told,
  disputes: string[],
): Promise<boolean> {
  for (const reference of disputes)
    await medTaker(engine, { connection, notice: { ...notice, reference } as Notice })
  return disputes.length > 0
}

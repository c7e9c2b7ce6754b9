import { certain, inTransactionAsking, type Question } from '../db/questions.ts'
import { med as life } from '../domain/med.ts'
import { announceMed, linksTo } from './announce.ts'
import type { Dependencies } from './dependencies.ts'
import { findMedLocked } from './med-replies.ts'
import { isAnswerable, type MedNow, nowOf } from './meds.ts'
import { moveMed } from './move.ts'

/** Tells the merchant once more of a dispute that nobody has answered, so many hours before its deadline. */
export function warnOfMed(dependencies: Dependencies) {
  return ({ uuid, hours }: { uuid: string; hours: number }): Promise<MedNow | null> =>
    inTransactionAsking(dependencies.orm, async (em): Promise<Question<MedNow | null>> => {
      const med = await findMedLocked(em, uuid)
      if (!med) return certain(null)
      const { warnedHours } = med
      if (isAnswerable(med) && (warnedHours == null || hours < warnedHours)) {
        med.warnedHours = hours
        await announceMed(em, med, { at: new Date(), linkTo: linksTo(dependencies) })
      }
      return nowOf(med)
    })
}

/** The deadline has passed without a reply: what the provider decides by itself is awaited, never guessed. */
export function passMedDeadline({ orm }: Dependencies) {
  return (uuid: string): Promise<MedNow | null> =>
    inTransactionAsking(orm, async (em): Promise<Question<MedNow | null>> => {
      const med = await findMedLocked(em, uuid)
      if (!med) return certain(null)
      if (life.accepts(med.state, 'deadline_passed')) moveMed(med, 'deadline_passed', new Date())
      return nowOf(med)
    })
}

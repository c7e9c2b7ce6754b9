import { createHash } from 'node:crypto'
import type { Recurrence } from '../db/entities/recurrence.ts'
import type { ChargeSplit } from '../domain/charges/split.ts'
import { uuidFromHash } from '../domain/pix/identifiers.ts'
import type { ChargeInput, ChargeInputDetails, DebitOrder } from '../workflows/contracts/charges.ts'

/** Orders of the charges of a recurrence. */

/** Derives the uuid of the charge that the worker creates for a cycle, so that a repeat never makes a second one. */
export function deriveCycleUuid(recurrenceUuid: string, cycle: number): string {
  return deriveUuid(['cycle', recurrenceUuid, cycle])
}

/** Derives the uuid of the first charge of a recurrence, so that a repeat never makes a second one. */
export function deriveFirstChargeUuid(recurrenceUuid: string): string {
  return deriveUuid(['first_charge', recurrenceUuid])
}

function deriveUuid(name: (string | number)[]): string {
  return uuidFromHash(createHash('sha256').update(JSON.stringify(name)).digest())
}

/** What the charge of a cycle asks. Without a reference or message of its own it has those of its recurrence. */
type CycleCharge = Omit<DebitOrder, 'recurrenceUuid' | 'railId'> & {
  valueCents: number
  externalRef?: string | undefined
  message?: string | undefined
  splits: ChargeSplit[]
  fingerprint: string
}

/** Builds the order of the charge of a cycle, at the provider of the recurrence alone. Its connection is loaded. */
export function buildCycleOrder(
  sealer: { seal(details: ChargeInputDetails): string },
  row: Recurrence,
  {
    valueCents,
    splits,
    fingerprint,
    externalRef = row.externalRef ?? undefined,
    message = row.subject ?? undefined,
    cycle,
    dueOn,
    feeCents,
    ...operation
  }: CycleCharge & Omit<ChargeInput, 'candidates' | 'expiresInSeconds' | 'debit' | 'details'>,
): ChargeInput {
  const { uuid: recurrenceUuid, railId } = row
  if (railId == null) throw new Error('the recurrence has no id of the rail')
  const details: ChargeInputDetails = {
    ...(externalRef !== undefined && { externalRef }),
    debtor: { name: row.debtorName, document: row.debtorDocument },
    ...(message !== undefined && { message }),
    splits,
    fingerprint,
  }
  return {
    ...operation,
    candidates: [row.connection.uuid],
    valueCents,
    // A debit has no payload that expires.
    expiresInSeconds: 0,
    debit: { recurrenceUuid, cycle, railId, dueOn, feeCents },
    details: sealer.seal(details),
  }
}

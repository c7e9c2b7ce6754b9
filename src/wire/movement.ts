import { z } from 'zod'
import type { Movement } from '../db/entities/movement.ts'
import { maskedDocument } from '../domain/document.ts'
import { MOVEMENT_REASONS } from '../domain/movement.ts'
import type { Party } from '../domain/provider.ts'
import { instant, party, reaisShown, uuid } from './common.ts'
import { NOBODY } from './payment.ts'

/** api-document.txt, Ledger record: one PIX movement, as PIX_TRANSACTION events carry it. */

const initiation = z
  .object({
    sender: party.nullable(),
    receiver: party,
    txid: z.string().nullable(),
    value: reaisShown,
    type: z.enum(['QR_DYNAMIC', 'QR_STATIC', 'KEY', 'REFUND']),
    pix_key: z.string().optional(),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
    expires_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Initiation' })

export const movementShown = z
  .object({
    uuid,
    initiation,
    value: reaisShown,
    movement_type: z.enum(['IN', 'OUT']),
    type: z.enum(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND']),
    status: z.enum(['PENDING', 'SETTLED', 'FAILED']),
    end_to_end: z.string(),
    charge_uuid: uuid.optional(),
    original_uuid: uuid.optional().meta({ description: 'The movement that this one returns' }),
    reason: z.enum(MOVEMENT_REASONS).optional().meta({
      description:
        'Why this PIX is no charge’s payment, or that it settled twice or after it had failed; absent on an ordinary one',
    }),
    settled_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Movement' })

const PIX_STATUS = { PENDING: 'PENDING', SETTLED: 'COMPLETED', FAILED: 'FAILED' } as const

/** A PIX movement as it is announced; for movements of the rail only, not for fees or splits. */
export function showMovement(movement: Movement): z.output<typeof movementShown> {
  return {
    ...showRecord(movement),
    initiation: { ...showInitiation(movement), ...(movement.pixKey && { pix_key: movement.pixKey }) },
    ...(movement.chargeUuid && { charge_uuid: movement.chargeUuid }),
    ...(movement.originalUuid && { original_uuid: movement.originalUuid }),
    ...(movement.reason && { reason: movement.reason }),
  }
}

/** What a movement says of itself, whatever shows it. */
export function showRecord(movement: Movement) {
  return {
    uuid: movement.uuid,
    value: movement.valueCents,
    movement_type: movement.movementType,
    type: movement.type === 'EXTERNAL_REFUND' ? ('EXTERNAL_REFUND' as const) : ('EXTERNAL_TRANSFER' as const),
    status: movement.status,
    end_to_end: movement.endToEnd ?? '',
    settled_at: movement.settledAt ?? null,
    ...timesOf(movement),
  }
}

/** And of the order that it carried out. */
export function showInitiation(movement: Movement) {
  const { type, movementType, sender = null, receiver } = movement
  const paysRecipient = type === 'EXTERNAL_TRANSFER' && movementType === 'OUT'
  const isFromRecipient = type === 'EXTERNAL_REFUND' && movementType === 'IN'
  return {
    sender: isFromRecipient && sender ? maskedParty(sender) : sender,
    receiver: paysRecipient ? maskedParty(receiver ?? NOBODY) : (receiver ?? NOBODY),
    txid: movement.txid ?? null,
    value: movement.valueCents,
    type: initiationType(movement),
    status: PIX_STATUS[movement.status],
    expires_at: null,
    ...timesOf(movement),
  }
}

/** The recipient of a transfer is not the account's customer: of its document and account only a part is shown. */
export function maskedParty(party: Party): Party {
  return {
    ...party,
    document: party.document && maskedDocument(party.document),
    account_number: masked(party.account_number),
    account_agency: masked(party.account_agency),
  }
}

function masked(text: string): string {
  return text.length <= 2 ? text.replaceAll(/./g, '*') : `${'*'.repeat(text.length - 2)}${text.slice(-2)}`
}

function timesOf({ createdAt, updatedAt }: Movement) {
  return { created_at: createdAt, updated_at: updatedAt }
}

function initiationType(movement: Movement): 'QR_DYNAMIC' | 'KEY' | 'REFUND' {
  if (movement.type === 'EXTERNAL_REFUND') return 'REFUND'
  return movement.txid ? 'QR_DYNAMIC' : 'KEY'
}

import { z } from 'zod'
import type { Connection } from '../../db/entities/connection.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { MOVEMENT_REASONS, MOVEMENT_STATUSES } from '../../domain/ledger/movement.ts'
import { maskDocument } from '../../domain/pix/document.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import type { Party } from '../../domain/pix/party.ts'
import { isStaticTxid } from '../../domain/qr-codes/qr-code.ts'
import {
  instantSchema,
  partySchema,
  providerReference,
  reaisOutput,
  reaisText,
  rowTimes,
  UNKNOWN_PARTY,
  uuidSchema,
} from '../shared/fields.ts'

/** Ledger records (api-document.txt): one PIX movement, as PIX_TRANSACTION events carry it. */

export const additionalInfoSchema = z
  .object({ name: z.string(), value: z.string() })
  .meta({ id: 'AdditionalInfo' })

/** First fields of every initiation, the order that a PIX carries out. */
export const initiationFields = {
  sender: partySchema.nullable(),
  receiver: partySchema,
  txid: z
    .string()
    .nullable()
    .meta({ description: 'Id of the charge at its provider; null for transfers and refunds' }),
  value: reaisText,
  type: z.enum(['QR_DYNAMIC', 'QR_STATIC', 'KEY', 'MANUAL', 'AUTOMATIC', 'REFUND']),
  pix_key: z.string(),
}

const movementInitiation = z
  .object({
    ...initiationFields,
    value: reaisOutput,
    pix_key: z.string().optional(),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
    expires_at: instantSchema.nullable(),
    ...rowTimes,
  })
  .meta({ id: 'Initiation' })

const movementFields = {
  movement_type: z.enum(['IN', 'OUT']),
  type: z.enum(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND']),
  status: z.enum(MOVEMENT_STATUSES),
  end_to_end: z
    .string()
    .meta({ description: 'End-to-end id of the PIX, 32 characters; empty until its provider reports it' }),
}
const settlementTimes = { settled_at: instantSchema.nullable(), ...rowTimes }

/** Fields of a movement's record after its value. */
export const movementRecordFields = { ...movementFields, ...settlementTimes }

export const movementSchema = z
  .object({
    uuid: uuidSchema,
    initiation: movementInitiation,
    value: reaisOutput,
    ...movementFields,
    charge_uuid: uuidSchema.optional(),
    transfer_uuid: uuidSchema
      .optional()
      .meta({ description: 'The transfer that this one pays, pays again or returns' }),
    original_uuid: uuidSchema.optional().meta({ description: 'The movement that this one returns' }),
    provider: providerReference
      .optional()
      .meta({ description: 'The connection that carried this PIX; absent where none is known' }),
    reason: z.enum(MOVEMENT_REASONS).optional().meta({
      description:
        'Why this PIX is not the payment of a charge, or that it settled twice or after it had failed; absent otherwise',
    }),
    ...settlementTimes,
  })
  .meta({ id: 'Movement' })

const INITIATION_STATUS = { PENDING: 'PENDING', SETTLED: 'COMPLETED', FAILED: 'FAILED' } as const

/** The connection that carried a movement. */
export type MovementCarrier = Pick<Connection, 'uuid' | 'provider'>

/** Presents a PIX movement for events; only for movements of the rail, not for fees or splits. */
export function showMovement(
  movement: Movement,
  connection: MovementCarrier | null,
): z.output<typeof movementSchema> {
  return {
    ...showMovementRecord(movement),
    initiation: { ...showMovementInitiation(movement), ...(movement.pixKey && { pix_key: movement.pixKey }) },
    ...(movement.chargeUuid && { charge_uuid: movement.chargeUuid }),
    ...(movement.transferUuid && { transfer_uuid: movement.transferUuid }),
    ...(movement.originalUuid && { original_uuid: movement.originalUuid }),
    ...(connection && { provider: { uuid: connection.uuid, provider: connection.provider } }),
    ...(movement.reason && { reason: movement.reason }),
  }
}

/** Presents the fields that a movement has in every response. */
export function showMovementRecord(movement: Movement) {
  return {
    uuid: movement.uuid,
    value: movement.valueCents,
    movement_type: movement.movementType,
    type: movement.type === 'EXTERNAL_REFUND' ? ('EXTERNAL_REFUND' as const) : ('EXTERNAL_TRANSFER' as const),
    status: movement.status,
    end_to_end: showEndToEndId(movement.endToEnd),
    settled_at: movement.settledAt ?? null,
    ...showMovementTimes(movement),
  }
}

/** Presents the initiation of a movement: the order that it carried out. */
export function showMovementInitiation(movement: Movement) {
  const { type, movementType, sender = null, receiver } = movement
  const paysRecipient = type === 'EXTERNAL_TRANSFER' && movementType === 'OUT'
  const isFromRecipient = type === 'EXTERNAL_REFUND' && movementType === 'IN'
  return {
    sender: isFromRecipient && sender ? maskParty(sender) : sender,
    receiver: paysRecipient ? maskParty(receiver ?? UNKNOWN_PARTY) : (receiver ?? UNKNOWN_PARTY),
    txid: movement.txid ?? null,
    value: movement.valueCents,
    type: showInitiationType(movement),
    status: INITIATION_STATUS[movement.status],
    expires_at: null,
    ...showMovementTimes(movement),
  }
}

/** Masks document and account of a party: the recipient of a transfer is not the account's customer. */
export function maskParty(party: Party): Party {
  return {
    ...party,
    document: party.document && maskDocument(party.document),
    account_number: maskText(party.account_number),
    account_agency: maskText(party.account_agency),
  }
}

function maskText(text: string): string {
  return text.length <= 2 ? text.replaceAll(/./g, '*') : `${'*'.repeat(text.length - 2)}${text.slice(-2)}`
}

function showMovementTimes({ createdAt, updatedAt }: Movement) {
  return { created_at: createdAt, updated_at: updatedAt }
}

function showInitiationType(movement: Movement): 'QR_DYNAMIC' | 'QR_STATIC' | 'KEY' | 'MANUAL' | 'REFUND' {
  if (movement.type === 'EXTERNAL_REFUND') return 'REFUND'
  // A transfer of ours without a key went to an account; of any other PIX the way is not known.
  if (!movement.txid) return movement.transferUuid && !movement.pixKey ? 'MANUAL' : 'KEY'
  return isStaticTxid(movement.txid) ? 'QR_STATIC' : 'QR_DYNAMIC'
}

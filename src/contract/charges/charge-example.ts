import type { z } from 'zod'
import { MOVEMENT_EXAMPLE } from '../ledger/ledger-example.ts'
import {
  EXAMPLE_MERCHANT,
  EXAMPLE_PAYER,
  EXAMPLE_PAYLOAD,
  EXAMPLE_PROVIDER,
  EXAMPLE_TIMES,
  EXAMPLE_TXID,
  EXAMPLE_UUIDS,
} from '../shared/example-values.ts'
import type { chargeSchema, createChargeBody, createdChargeSchema } from './charge.ts'

/** Examples of the OpenAPI document: a charge as it is created, and once it is paid. */

const { created, paying, paid, expires } = EXAMPLE_TIMES
const seller = { name: 'Ateliê Beatriz', document: '12ABC34501DE35' }

export const CREATE_CHARGE_EXAMPLE: z.input<typeof createChargeBody> = {
  value: 150.75,
  type: 'PIX',
  external_ref: 'order-1042',
  final_beneficiary: seller,
  splits: [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: EXAMPLE_UUIDS.recipient }],
  expires_in: 86_400,
}

const split = {
  uuid: EXAMPLE_UUIDS.split,
  type: 'PERCENTAGE',
  value: 10,
  status: 'PENDING',
  recipient_account: { uuid: EXAMPLE_UUIDS.recipient, name: 'Ateliê Beatriz' },
} as const

const issued = {
  uuid: EXAMPLE_UUIDS.charge,
  value: 150.75,
  total_value: 151.74,
  fees: 0.99,
  currency: 'BRL',
  type: 'PIX',
  external_ref: 'order-1042',
  final_beneficiary: seller,
  provider: EXAMPLE_PROVIDER,
  created_at: created,
} as const

const { initiation: _, charge_uuid: __, provider: ___, ...transaction } = MOVEMENT_EXAMPLE

const pix = {
  receiver: EXAMPLE_MERCHANT,
  txid: EXAMPLE_TXID,
  value: '151.74',
  type: 'QR_DYNAMIC' as const,
  pix_key: '0a1b6e52-7c3d-4f98-8b2e-9d4c7a5f1e60',
  additional_info: [],
  expires_at: expires,
  created_at: created,
}

export const CREATED_CHARGE_EXAMPLE: z.input<typeof createdChargeSchema> = {
  ...issued,
  status: 'PENDING',
  splits: [split],
  history: [{ status: 'PENDING', created_at: created }],
  updated_at: created,
  payment: {
    uuid: EXAMPLE_UUIDS.payment,
    status: 'PENDING',
    payload: EXAMPLE_PAYLOAD,
    pix: { sender: null, ...pix, transaction: null, status: 'PENDING', updated_at: created },
    expires_at: expires,
    created_at: created,
    updated_at: created,
    value: 151.74,
    type: 'PIX',
  },
}

export const CHARGE_EXAMPLE: z.input<typeof chargeSchema> = {
  ...issued,
  status: 'PAID',
  refunded_value: 0,
  net_value: 150.75,
  refund_uuids: [],
  splits: [{ ...split, status: 'CREDITED' }],
  history: [
    { status: 'PENDING', created_at: created },
    { status: 'PROCESSING', created_at: paying },
    { status: 'PAID', created_at: paid },
  ],
  updated_at: paid,
  payment: {
    uuid: EXAMPLE_UUIDS.payment,
    status: 'COMPLETED',
    payload: EXAMPLE_PAYLOAD,
    pix: {
      sender: EXAMPLE_PAYER,
      ...pix,
      transaction: { ...transaction, value: '151.74' },
      status: 'COMPLETED',
      updated_at: paid,
    },
    expires_at: expires,
    created_at: created,
    updated_at: paid,
    value: '151.74',
    type: 'QR_DYNAMIC',
    verify_sender: false,
  },
}

/** A charge that no provider issued, as the error of its POST carries it. */
export const FAILED_CHARGE_EXAMPLE: z.input<typeof createdChargeSchema> = {
  ...CREATED_CHARGE_EXAMPLE,
  status: 'FAILED',
  history: [{ status: 'FAILED', created_at: created }],
  payment: {
    ...CREATED_CHARGE_EXAMPLE.payment,
    status: 'FAILED',
    payload: '',
    pix: { ...CREATED_CHARGE_EXAMPLE.payment.pix, status: 'FAILED', txid: null, pix_key: '' },
  },
  error: {
    code: 'collection_key_invalid',
    message: 'The collection key does not belong to the account at the provider.',
    provider: 'PROVIDER_A',
    attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'collection_key_invalid' }],
  },
}

/** A charge that was cancelled before it was paid. */
export const CANCELLED_CHARGE_EXAMPLE: z.input<typeof chargeSchema> = {
  ...CHARGE_EXAMPLE,
  status: 'CANCELLED',
  splits: [split],
  history: [
    { status: 'PENDING', created_at: created },
    { status: 'CANCELLED', created_at: paid },
  ],
  payment: {
    ...CHARGE_EXAMPLE.payment,
    status: 'CANCELLED',
    pix: { sender: null, ...pix, transaction: null, status: 'CANCELLED', updated_at: paid },
  },
}

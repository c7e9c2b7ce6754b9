import type { z } from 'zod'
import {
  EXAMPLE_END_TO_END,
  EXAMPLE_MERCHANT,
  EXAMPLE_PROVIDER,
  EXAMPLE_RECIPIENT,
  EXAMPLE_TIMES,
  EXAMPLE_UUIDS,
} from '../shared/example-values.ts'
import { UNKNOWN_PARTY } from '../shared/fields.ts'
import type { createAccountTransferBody } from './account-transfer.ts'
import type { createCodeTransferBody } from './code-transfer.ts'
import type { createTransferBody, transferSchema } from './transfer.ts'

/** Examples of the OpenAPI document: a transfer as it is accepted, once it is settled, and rejected. */

const { ordered, sent } = EXAMPLE_TIMES

export const CREATE_TRANSFER_EXAMPLE: z.input<typeof createTransferBody> = {
  value: 25.9,
  type: 'PIX',
  pix_key: 'joao.lima@example.com',
  external_ref: 'payout-77',
}

export const TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  uuid: EXAMPLE_UUIDS.transfer,
  value: 25.9,
  fees: 0.35,
  currency: 'BRL',
  status: 'PAID',
  type: 'PIX',
  external_ref: 'payout-77',
  transfer: {
    uuid: EXAMPLE_UUIDS.transferMovement,
    initiation: {
      sender: EXAMPLE_MERCHANT,
      receiver: EXAMPLE_RECIPIENT,
      txid: null,
      value: 25.9,
      type: 'KEY',
      pix_key: 'joao.lima@example.com',
      status: 'COMPLETED',
      expires_at: null,
      created_at: ordered,
      updated_at: sent,
    },
    value: 25.9,
    movement_type: 'OUT',
    type: 'EXTERNAL_TRANSFER',
    status: 'SETTLED',
    end_to_end: EXAMPLE_END_TO_END.transfer,
    settled_at: sent,
    created_at: ordered,
    updated_at: sent,
  },
  history: [
    { status: 'PROCESSING', created_at: ordered },
    { status: 'PAID', created_at: sent },
  ],
  provider: EXAMPLE_PROVIDER,
  attempts: [{ provider: 'PROVIDER_A', outcome: 'settled', code: '', created_at: ordered, updated_at: sent }],
  created_at: ordered,
}

/** As the POST answers: a provider has accepted, the rail has not settled yet. */
export const ACCEPTED_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...TRANSFER_EXAMPLE,
  status: 'PROCESSING',
  transfer: {
    ...TRANSFER_EXAMPLE.transfer,
    initiation: {
      ...TRANSFER_EXAMPLE.transfer.initiation,
      receiver: UNKNOWN_PARTY,
      status: 'PENDING',
      updated_at: ordered,
    },
    status: 'PENDING',
    end_to_end: EXAMPLE_END_TO_END.transfer,
    settled_at: null,
    updated_at: ordered,
  },
  history: [{ status: 'PROCESSING', created_at: ordered }],
  attempts: [
    { provider: 'PROVIDER_A', outcome: 'accepted', code: '', created_at: ordered, updated_at: ordered },
  ],
}

export const CREATE_ACCOUNT_TRANSFER_EXAMPLE: z.input<typeof createAccountTransferBody> = {
  value: 25.9,
  receiver: {
    name: 'João Lima',
    document: '52998224725',
    bank_code: '260',
    agency: '0001',
    account: '1234567',
    account_type: 'PAYMENT',
  },
  external_ref: 'payout-77',
}

export const CREATE_CODE_TRANSFER_EXAMPLE: z.input<typeof createCodeTransferBody> = {
  read_uuid: EXAMPLE_UUIDS.codeReading,
  external_ref: 'payout-77',
}

/** A transfer that pays a code as the POST answers. */
export const ACCEPTED_CODE_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...ACCEPTED_TRANSFER_EXAMPLE,
  transfer: {
    ...ACCEPTED_TRANSFER_EXAMPLE.transfer,
    initiation: {
      ...ACCEPTED_TRANSFER_EXAMPLE.transfer.initiation,
      type: 'QR_DYNAMIC',
      txid: 'fc9a4366ff3d4964b5dbc6c91a8722d3',
    },
  },
}

/** A transfer to a bank account as the POST answers: its receiver is the ordered one. */
export const ACCEPTED_ACCOUNT_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...ACCEPTED_TRANSFER_EXAMPLE,
  transfer: {
    ...ACCEPTED_TRANSFER_EXAMPLE.transfer,
    initiation: {
      ...ACCEPTED_TRANSFER_EXAMPLE.transfer.initiation,
      type: 'MANUAL',
      pix_key: '',
      receiver: {
        name: 'João Lima',
        document: '***982247**',
        account_number: '*****67',
        account_agency: '**01',
        bank: { code: '260', name: 'NU PAGAMENTOS S.A. - INSTITUIÇÃO DE PAGAMENTO', ispb: '18236120' },
        account_type: 'PAYMENT',
      },
    },
  },
}

/** A transfer that all providers have rejected, as the error of its POST carries it. */
export const FAILED_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...ACCEPTED_TRANSFER_EXAMPLE,
  status: 'FAILED',
  transfer: {
    ...ACCEPTED_TRANSFER_EXAMPLE.transfer,
    initiation: { ...ACCEPTED_TRANSFER_EXAMPLE.transfer.initiation, status: 'FAILED', updated_at: sent },
    status: 'FAILED',
    end_to_end: '',
    updated_at: sent,
  },
  history: [
    { status: 'PROCESSING', created_at: ordered },
    { status: 'FAILED', created_at: sent },
  ],
  attempts: [
    { provider: 'PROVIDER_A', outcome: 'rejected', code: 'AC03', created_at: ordered, updated_at: sent },
  ],
  error: {
    code: 'AC03',
    message: "the receiver's branch or account does not exist",
    provider: 'PROVIDER_A',
    provider_code: 'AC03',
    attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'AC03' }],
  },
}

/** A scheduled transfer that was cancelled before it was sent. */
export const CANCELLED_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...ACCEPTED_TRANSFER_EXAMPLE,
  status: 'CANCELLED',
  transfer: {
    ...ACCEPTED_TRANSFER_EXAMPLE.transfer,
    initiation: { ...ACCEPTED_TRANSFER_EXAMPLE.transfer.initiation, status: 'CANCELLED', updated_at: sent },
    status: 'FAILED',
    end_to_end: '',
    updated_at: sent,
  },
  history: [
    { status: 'PENDING', created_at: ordered },
    { status: 'CANCELLED', created_at: sent },
  ],
  attempts: [],
  scheduled_for: '2026-11-25T12:00:00.000000Z',
}

const APPROVAL_EXPIRY = '2026-11-25T12:00:00.000000Z'

/** A transfer above the value of `approvals`, once another person has approved it: it is sent a moment later. */
export const APPROVED_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...ACCEPTED_TRANSFER_EXAMPLE,
  status: 'PENDING',
  transfer: { ...ACCEPTED_TRANSFER_EXAMPLE.transfer, end_to_end: '' },
  history: [{ status: 'PENDING', created_at: ordered }],
  attempts: [],
  approval: { needed: 1, given: [{ by: 'bia@example.com', at: sent }], expires_at: APPROVAL_EXPIRY },
}

/** A transfer that another person has rejected. */
export const REJECTED_TRANSFER_EXAMPLE: z.input<typeof transferSchema> = {
  ...APPROVED_TRANSFER_EXAMPLE,
  approval: {
    needed: 1,
    given: [],
    rejected: { by: 'bia@example.com', at: sent, reason: 'wrong supplier' },
    expires_at: APPROVAL_EXPIRY,
  },
}

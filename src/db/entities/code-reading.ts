import { defineEntity } from '@mikro-orm/core'
import type { CodeKind, CodeSignature, CodeStatus } from '../../domain/qr-codes/code-reading.ts'
import { centsColumn, orderAuthorColumns, timestampColumn, unionColumn } from './columns.ts'
import { PartyType } from './party.ts'

const schema = defineEntity({
  name: 'StoredCodeReading',
  tableName: 'code_reading',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    isSimulated: p.boolean(),
    kind: unionColumn<CodeKind>(),
    /** As it is shown: the document is masked. */
    receiver: p.type(PartyType),
    /** `SealedCode`: what a transfer that names the reading pays. */
    sealedCode: p.text(),
    txid: p.text().nullable(),
    originalCents: centsColumn(),
    dueNowCents: centsColumn(),
    fineCents: centsColumn(),
    interestCents: centsColumn(),
    discountCents: centsColumn(),
    abatementCents: centsColumn(),
    isOpen: p.boolean(),
    status: unionColumn<CodeStatus>(),
    expiresAt: timestampColumn().nullable(),
    signature: unionColumn<CodeSignature>(),
    ownChargeUuid: p.uuid().nullable(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    createdAt: timestampColumn(),
  }),
})

/** What was read of a PIX code before it is paid. */
export class StoredCodeReading extends schema.class {}
schema.setClass(StoredCodeReading)

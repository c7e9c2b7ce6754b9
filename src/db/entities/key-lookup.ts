import { defineEntity } from '@mikro-orm/core'
import type {
  KeyLookupOutcome,
  OwnerDocumentMatch,
  OwnerNameMatch,
} from '../../domain/pix-keys/key-look-up.ts'
import type { PixKeyType } from '../../domain/pix-keys/pix-key.ts'
import { orderAuthorColumns, requestedRowColumns, timestampColumn, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'
import { PartyType } from './party.ts'

const schema = defineEntity({
  name: 'KeyLookup',
  properties: p => ({
    ...requestedRowColumns(),
    connection: () => p.manyToOne(Connection),
    isSimulated: p.boolean(),
    type: unionColumn<PixKeyType>(),
    /** Masked. */
    shownKey: p.text(),
    outcome: unionColumn<KeyLookupOutcome>(),
    /** `SealedLookup`, for as long as a transfer may name the look-up. */
    sealedAnswer: p.text().nullable(),
    /** The owner, masked. */
    receiver: p.type(PartyType).nullable(),
    documentMatch: unionColumn<OwnerDocumentMatch>().default('UNKNOWN'),
    nameMatch: unionColumn<OwnerNameMatch>().default('UNKNOWN'),
    /** The transfer whose payment is bound to the look-up. */
    transferUuid: p.uuid().nullable(),
    ...orderAuthorColumns(),
    expiresAt: timestampColumn(),
  }),
})

/** A look-up of a PIX key's owner by an account, with its answer. */
export class KeyLookup extends schema.class {}
schema.setClass(KeyLookup)

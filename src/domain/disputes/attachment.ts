import { MAX_ANALYSIS_MS } from './dispute.ts'

/** SPEC §5: proofs that come with the reply to a dispute. */

export const MAX_ATTACHMENTS = 10
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024

/** Validity of the links in a reply: the provider's analyst may open the files until the last day of the analysis. */
export const REPLY_LINK_SECONDS = MAX_ANALYSIS_MS / 1_000

/** What an attachment may be, by its content, and how a file of that kind ends. */
const ATTACHMENT_EXTENSIONS = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const
export type AttachmentType = keyof typeof ATTACHMENT_EXTENSIONS
export const ATTACHMENT_TYPES = Object.keys(ATTACHMENT_EXTENSIONS) as [AttachmentType, ...AttachmentType[]]

/** Key in the storage; no part of it is chosen by a client, so it cannot address another file. */
export function attachmentStorageKeyOf(attachment: {
  disputeUuid: string
  uuid: string
  type: AttachmentType
}) {
  return `meds/${attachment.disputeUuid}/${attachment.uuid}.${ATTACHMENT_EXTENSIONS[attachment.type]}`
}

/** The type that a key's ending says; null where it is no attachment's. */
export function attachmentTypeOf(key: string): AttachmentType | null {
  const extension = /\.(\w+)$/.exec(key)?.[1]
  return ATTACHMENT_TYPES.find(type => ATTACHMENT_EXTENSIONS[type] === extension) ?? null
}

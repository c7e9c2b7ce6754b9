/** SPEC §5: proofs that come with the reply to a dispute. */

export const MOST_ATTACHMENTS = 10
export const MOST_ATTACHMENT_BYTES = 10 * 1024 * 1024

/** What an attachment may be, by its content, and how a file of that kind ends. */
const ATTACHMENT_ENDINGS = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const
export type AttachmentType = keyof typeof ATTACHMENT_ENDINGS
export const ATTACHMENT_TYPES = Object.keys(ATTACHMENT_ENDINGS) as [AttachmentType, ...AttachmentType[]]

/** Where the storage keeps it; nothing of it is anybody's to choose, so no path leads elsewhere. */
export function attachmentKey(of: { medUuid: string; uuid: string; type: AttachmentType }): string {
  return `meds/${of.medUuid}/${of.uuid}.${ATTACHMENT_ENDINGS[of.type]}`
}

/** The type that a key's ending says; null where it is no attachment's. */
export function attachmentTypeOf(key: string): AttachmentType | null {
  const ending = /\.(\w+)$/.exec(key)?.[1]
  return ATTACHMENT_TYPES.find(type => ATTACHMENT_ENDINGS[type] === ending) ?? null
}

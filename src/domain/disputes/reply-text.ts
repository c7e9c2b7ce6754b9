import { PROVIDER_CAPABILITIES } from '../providers/capabilities.ts'
import type { ProviderApi } from '../providers/provider.ts'
import { findUnwritableInPdf } from '../shared/pdf-text.ts'
import type { ProviderDisputeReply } from './provider-dispute.ts'

type TextReply = Pick<ProviderDisputeReply, 'accept' | 'analysis'> & {
  attachments: Pick<ProviderDisputeReply['attachments'][number], 'name' | 'url'>[]
}

/** Writes a reply as one text, in Portuguese: the analysis, then a link to each file. */
export function formatReplyText({ analysis, attachments }: TextReply): string {
  if (attachments.length === 0) return analysis
  return [analysis, '', 'Anexos:', ...attachments.map(({ name, url }) => `${name}: ${url}`)].join('\n')
}

/** Returns how long the text of a reply may be at a provider; null where it has no limit. An accepting reply sends no text. */
export function getMaxReplyTextLength(
  api: ProviderApi,
  { accept }: Pick<TextReply, 'accept'>,
): number | null {
  return accept ? null : (PROVIDER_CAPABILITIES[api].disputes?.maxReplyTextLength ?? null)
}

/**
 * Compares a reply with the longest text that its provider accepts; null where it fits.
 * `maxAnalysisLength`: what the links leave for the analysis; not positive where they alone are too long.
 */
export function checkReplyText(
  api: ProviderApi,
  reply: TextReply,
): { maxLength: number; maxAnalysisLength: number } | null {
  const maxLength = getMaxReplyTextLength(api, reply)
  if (maxLength === null) return null
  const { length } = formatReplyText(reply)
  return length > maxLength
    ? { maxLength, maxAnalysisLength: maxLength - (length - reply.analysis.length) }
    : null
}

/**
 * Finds the characters of a reply that its provider would not show, each once, in their order. Woovi accepts documents only, so
 * a reply without attachments is sent as a PDF; with attachments the text is sent as text, which has no such limit.
 */
export function findUnwritableCharacters(
  api: ProviderApi,
  { analysis, attachmentCount }: { analysis: string; attachmentCount: number },
): string[] {
  if (PROVIDER_CAPABILITIES[api].disputes?.maxReplyTextLength !== null || attachmentCount > 0) return []
  return findUnwritableInPdf(analysis)
}

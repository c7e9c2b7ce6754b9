import type { AdditionalInfo } from '../../domain/providers/provider.ts'

/** Writes the texts that a payer is shown for a provider whose API names each by a `key`. */
export function toKeyedTexts(texts: AdditionalInfo[]): { key: string; value: string }[] {
  return texts.map(({ name, value }) => ({ key: name, value }))
}

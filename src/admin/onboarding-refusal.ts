/** Fields of a connection that an operator gives, as its form and the options of `connection add` name them. */
export type OnboardingField =
  | 'base_url'
  | 'credentials'
  | 'join'
  | 'provider_account'
  | 'replace_webhook'
  | 'simulated'
  | 'type'

/**
 * Why a connection is not made or not changed; nothing was stored. `text` follows the name of the field and has a gap for
 * each of `gaps`, which the dashboard translates.
 */
export class OnboardingRefused extends Error {
  override name = 'OnboardingRefused'
  readonly field: OnboardingField
  readonly text: string
  readonly gaps: Record<string, string>

  constructor(field: OnboardingField, text: string, gaps: Record<string, string> = {}, cause?: unknown) {
    super(
      text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => gaps[gap] ?? ''),
      { cause },
    )
    this.field = field
    this.text = text
    this.gaps = gaps
  }
}

/**
 * What the merchant reads about a payout that an operator has settled as rejected, unless the operator writes another
 * message for the merchant. The operator's reason is not shown.
 */
export const OPERATOR_REJECTION = {
  code: 'settled_by_operator',
  message: 'The provider has confirmed that the operation was not carried out; no money left.',
} as const

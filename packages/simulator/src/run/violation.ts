/** A guarantee that did not hold. */
export class Violation extends Error {
  readonly guarantee: string

  constructor(guarantee: string, message: string) {
    super(message)
    this.name = 'Violation'
    this.guarantee = guarantee
  }
}

/** A sentence from the service. Text between backticks is shown as code to type. */
const CODE = /`([^`]+)`/

export function CodedText({ text }: { readonly text: string }) {
  // With a group in the pattern, `split` keeps what it splits at, as every second part.
  return <>{text.split(CODE).map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}

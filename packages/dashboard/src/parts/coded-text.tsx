/** A sentence of the service in which what stands between backticks is to be typed, and looks like it. */
const CODE = /`([^`]+)`/

export function CodedText({ text }: { readonly text: string }) {
  // With a group in the pattern, `split` keeps what it splits at, as every second part.
  return <>{text.split(CODE).map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}

// An address from users or from pages of visitors. It is a link only if it leads to a web page.

import { Icon } from "./icon";

export function OutsideLink({ url, text = url }: { url: string; text?: string }) {
  if (!/^https?:\/\//i.test(url)) return <span className="break-all">{text}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer" className="link break-all">
      {text}
      <Icon name="external" className="ml-1 inline size-3" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

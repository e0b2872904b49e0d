// Width of an element, which follows the layout of the page. Pictures are drawn in pixels of the screen.

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/**
 * Width of the element that gets the ref, in whole pixels; 0 before it is known. While the element is hidden, the width
 * stays.
 */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const measure = () => {
      const now = Math.floor(element.clientWidth);
      if (now > 0) setWidth(now);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

let context: CanvasRenderingContext2D | null | undefined;

/** Returns a function that measures texts in a font such as `600 13px sans-serif`. */
export function measureIn(font: string): (text: string) => number {
  context ??= document.createElement("canvas").getContext("2d");
  return (text) => {
    if (context == null) return text.length * 7;
    context.font = font;
    return context.measureText(text).width;
  };
}

/** Font of pictures at a size: that of the page. */
export function fontOf(size: number, weight = 400): string {
  return `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
}

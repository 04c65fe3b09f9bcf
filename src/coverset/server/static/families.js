// Which documents say nearly the same. That is easiest to see as repeated colour, so each family gets one.

export const COLOURS = 8;

// A document joins the family of the earlier document it is most alike, if they are alike enough: nearer to
// identical than to how alike the documents on this page usually are. Encoders differ in what is usual.
export function families(order, similarity) {
  const alike = threshold(order, similarity);
  const family = new Map();
  const leaders = [];
  for (const i of order) {
    let best = -1;
    for (const leader of leaders) {
      if (best < 0 || similarity[i][leader] > similarity[i][best]) best = leader;
    }
    if (best >= 0 && similarity[i][best] >= alike) {
      family.set(i, family.get(best));
    } else {
      family.set(i, leaders.length);
      leaders.push(i);
    }
  }
  return family;
}

function threshold(order, similarity) {
  const pairs = order.flatMap((i, place) => order.slice(place + 1).map((j) => similarity[i][j]));
  pairs.sort((a, b) => a - b);
  const usual = pairs.length ? pairs[pairs.length >> 1] : 0;
  return (1 + Math.max(0, usual)) / 2;
}

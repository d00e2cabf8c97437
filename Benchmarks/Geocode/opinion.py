"""A second opinion on countries: points with their country according to other borders.

The borders are those of time zones (timezonefinder, from OpenStreetMap, ODbL), and the land is that of an elevation model
(global-land-mask). Neither is used in the geocoder's tables; they are only compared with its answers. Each time zone of
`zone.tab` is in a single country.

    opinion.py LAND BORDER

Prints LAND random points on land, and BORDER further ones that have land of another country within 30 km. Each line has the
latitude, the longitude, the country, and `land` or `border`.
"""

import math
import random
import sys
from pathlib import Path

PACKAGES = ["timezonefinder==6.5.9", "global-land-mask==1.0.0", "tzdata==2025.2"]
RINGS = (1, 2, 4, 6, 9, 12, 16, 20, 25, 30)
"""The distances in kilometers at which the countries around a point are checked, each in 16 directions."""
MERGED = {"TH", "VN"}
"""Countries of which a part has the other's time zone. Points there are skipped."""


class Opinion:
    def __init__(self):
        import tzdata
        from global_land_mask import globe
        from timezonefinder import TimezoneFinder

        self.globe, self.zones, self.countries = globe, TimezoneFinder(in_memory=True), {}
        for line in (Path(tzdata.__file__).parent / "zoneinfo" / "zone.tab").read_text().splitlines():
            if not line.startswith("#"):
                code, _, zone = line.split("\t")[:3]
                self.countries.setdefault(zone, code)

    def country(self, latitude, longitude):
        """Returns the country of a point on land, or None."""
        if not self.globe.is_land(max(-89.99, min(89.99, latitude)), longitude):
            return None
        # Some stations in Antarctica use the time of the country that runs them.
        if latitude < -60:
            return "AQ"
        return self.countries.get(self.zones.timezone_at(lat=latitude, lng=longitude))

    def is_near_border(self, latitude, longitude, own):
        for kilometers in RINGS:
            for turn in range(16):
                bearing = (turn + 0.5 * (kilometers % 2)) * math.pi / 8
                other = self.country(*step(latitude, longitude, bearing, kilometers))
                if other and other != own:
                    return True
        return False


def step(latitude, longitude, bearing, kilometers):
    """Returns the point at this many kilometers in a direction."""
    angle, phi = kilometers / 6371.0088, math.radians(latitude)
    sine = math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(bearing)
    turn = math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(phi), math.cos(angle) - math.sin(phi) * sine)
    return math.degrees(math.asin(sine)), (longitude + math.degrees(turn) + 540) % 360 - 180


def main():
    land, border = map(int, sys.argv[1:])
    opinion, chance = Opinion(), random.Random(2)
    while land > 0 or border > 0:
        latitude, longitude = math.degrees(math.asin(chance.uniform(-1, 1))), chance.uniform(-180, 180)
        own = opinion.country(latitude, longitude)
        if own is None or own in MERGED:
            continue
        if land > 0:
            print(f"{latitude:.5f}\t{longitude:.5f}\t{own}\tland")
            land -= 1
        elif opinion.is_near_border(latitude, longitude, own):
            print(f"{latitude:.5f}\t{longitude:.5f}\t{own}\tborder")
            border -= 1


if __name__ == "__main__":
    main()

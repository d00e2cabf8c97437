/// The trips and places that a new store can be filled with. The places are real; their coordinates are from GeoNames.
///
/// The data is text in the program, which is parsed only for the import. It is therefore available wherever the program
/// is copied, costs later launches nothing, and cannot be installed incompletely.
enum SampleData {
  /// The version of the sample. The marker in a store contains it.
  static let version = 1

  /// One trip per line: id, name, first day, last day and notes.
  static let trips = """
    2012-kyushu|Kyushu by slow train|2012-04-02|2012-04-13|Three volcanoes and a great many hot springs
    2013-silk-road|Along the Hexi corridor|2013-08-11|2013-08-27|From the Yellow River to the Gobi
    2014-baltic|Around the Baltic|2014-06-12|2014-07-03|By ferry and night bus, in the white nights
    2015-andes|Down the Andes|2015-05-03|2015-06-02|Thin air and long buses
    2016-yunnan|Yunnan in spring|2016-03-05|2016-03-20|Tea, rice terraces and the old horse road
    2016-iberia|Iberia from north to south|2016-09-10|2016-09-30|Late dinners
    2017-morocco|Morocco, over the Atlas|2017-11-02|2017-11-16|From the straits to the edge of the sand
    2018-caucasus|The Caucasus|2018-05-18|2018-06-04|Monasteries and marshrutkas
    2018-hokkaido|Snow in Hokkaido|2018-02-01|2018-02-12|Drift ice and crab
    2019-oceania|Across the Tasman|2019-01-06|2019-01-30|Two hemispheres in one winter coat
    2019-pearl-river|Pearl River delta|2019-10-01|2019-10-10|A week between three tram systems
    2021-chuan-yu|Sichuan and Chongqing|2021-04-03|2021-04-10|Spicy
    2022-adriatic|Adriatic coast|2022-07-02|2022-07-19|Ferries and stone towns
    2023-central-asia|Central Asia|2023-09-04|2023-09-21|Blue domes
    2024-east-africa|Lakes and highlands|2024-01-13|2024-02-08|Six weeks, one bag
    2024-alps|Over the Alps by rail|2024-08-03|2024-08-19|Every pass that has a railway
    2025-indochina|Down the Mekong|2025-02-01|2025-03-01|From the mountains to the delta
    """

  /// One place per line: name, ISO 3166-1 country code, latitude, longitude, day of the visit and, optionally, the id
  /// of the trip.
  static let destinations = """
    Fukuoka|JP|33.6000|130.4167|2012-04-02|2012-kyushu
    Nagasaki|JP|32.7500|129.8833|2012-04-04|2012-kyushu
    Kumamoto|JP|32.8059|130.6918|2012-04-06|2012-kyushu
    Kagoshima|JP|31.5667|130.5500|2012-04-08|2012-kyushu
    Beppu|JP|33.2794|131.4975|2012-04-11|2012-kyushu
    Xi'an|CN|34.2583|108.9286|2013-08-11|2013-silk-road
    Lanzhou|CN|36.0570|103.8399|2013-08-14|2013-silk-road
    Zhangye|CN|38.9342|100.4517|2013-08-16|2013-silk-road
    Jiayuguan|CN|39.8112|98.2862|2013-08-18|2013-silk-road
    Dunhuang|CN|40.1667|94.6833|2013-08-20|2013-silk-road
    Turpan|CN|42.9477|89.1789|2013-08-23|2013-silk-road
    Ürümqi|CN|43.8010|87.6005|2013-08-25|2013-silk-road
    Stockholm|SE|59.3294|18.0687|2014-06-12|2014-baltic
    Turku|FI|60.4515|22.2687|2014-06-15|2014-baltic
    Helsinki|FI|60.1695|24.9354|2014-06-16|2014-baltic
    Tallinn|EE|59.4370|24.7535|2014-06-19|2014-baltic
    Riga|LV|56.9460|24.1059|2014-06-22|2014-baltic
    Vilnius|LT|54.6892|25.2798|2014-06-25|2014-baltic
    Gdańsk|PL|54.3523|18.6491|2014-06-28|2014-baltic
    Copenhagen|DK|55.6759|12.5655|2014-07-01|2014-baltic
    Quito|EC|-0.2298|-78.5250|2015-05-03|2015-andes
    Cuenca|EC|-2.8953|-78.9963|2015-05-07|2015-andes
    Lima|PE|-12.0432|-77.0282|2015-05-11|2015-andes
    Cusco|PE|-13.5319|-71.9670|2015-05-14|2015-andes
    Puno|PE|-15.8400|-70.0220|2015-05-19|2015-andes
    La Paz|BO|-16.5000|-68.1500|2015-05-21|2015-andes
    Salta|AR|-24.8065|-65.4200|2015-05-27|2015-andes
    Santiago|CL|-33.4569|-70.6483|2015-05-31|2015-andes
    Kunming|CN|25.0389|102.7183|2016-03-05|2016-yunnan
    Dali|CN|25.5847|100.2123|2016-03-08|2016-yunnan
    Lijiang|CN|26.8688|100.2207|2016-03-11|2016-yunnan
    Shangri-La|CN|27.8251|99.7078|2016-03-14|2016-yunnan
    Jinghong|CN|22.0026|100.7697|2016-03-18|2016-yunnan
    Bilbao|ES|43.2627|-2.9253|2016-09-10|2016-iberia
    Porto|PT|41.1485|-8.6110|2016-09-13|2016-iberia
    Lisbon|PT|38.7251|-9.1498|2016-09-16|2016-iberia
    Sevilla|ES|37.3828|-5.9732|2016-09-20|2016-iberia
    Granada|ES|37.1882|-3.6067|2016-09-23|2016-iberia
    Valencia|ES|39.4739|-0.3797|2016-09-26|2016-iberia
    Barcelona|ES|41.3888|2.1590|2016-09-28|2016-iberia
    Tangier|MA|35.7673|-5.7998|2017-11-02|2017-morocco
    Fes|MA|34.0331|-5.0003|2017-11-04|2017-morocco
    Marrakesh|MA|31.6342|-7.9999|2017-11-08|2017-morocco
    Ouarzazate|MA|30.9189|-6.8934|2017-11-11|2017-morocco
    Essaouira|MA|31.5125|-9.7700|2017-11-14|2017-morocco
    Tbilisi|GE|41.6914|44.8341|2018-05-18|2018-caucasus
    Kutaisi|GE|42.2679|42.6946|2018-05-22|2018-caucasus
    Batumi|GE|41.6408|41.6306|2018-05-24|2018-caucasus
    Gyumri|AM|40.7931|43.8464|2018-05-27|2018-caucasus
    Yerevan|AM|40.1776|44.5126|2018-05-28|2018-caucasus
    Baku|AZ|40.3777|49.8920|2018-06-02|2018-caucasus
    Sapporo|JP|43.0667|141.3500|2018-02-01|2018-hokkaido
    Otaru|JP|43.1894|141.0022|2018-02-03|2018-hokkaido
    Asahikawa|JP|43.7706|142.3649|2018-02-05|2018-hokkaido
    Abashiri|JP|44.0213|144.2697|2018-02-07|2018-hokkaido
    Hakodate|JP|41.7758|140.7367|2018-02-10|2018-hokkaido
    Sydney|AU|-33.8678|151.2073|2019-01-06|2019-oceania
    Hobart|AU|-42.8794|147.3294|2019-01-10|2019-oceania
    Melbourne|AU|-37.8140|144.9633|2019-01-14|2019-oceania
    Queenstown|NZ|-45.0302|168.6616|2019-01-18|2019-oceania
    Christchurch|NZ|-43.5333|172.6333|2019-01-22|2019-oceania
    Wellington|NZ|-41.2866|174.7756|2019-01-25|2019-oceania
    Auckland|NZ|-36.8485|174.7635|2019-01-28|2019-oceania
    Hong Kong|HK|22.2783|114.1747|2019-10-01|2019-pearl-river
    Macau|MO|22.2006|113.5461|2019-10-04|2019-pearl-river
    Zhuhai|CN|22.2769|113.5678|2019-10-05|2019-pearl-river
    Guangzhou|CN|23.1167|113.2500|2019-10-06|2019-pearl-river
    Shenzhen|CN|22.5455|114.0683|2019-10-08|2019-pearl-river
    Chengdu|CN|30.6667|104.0667|2021-04-03|2021-chuan-yu
    Leshan|CN|29.5623|103.7639|2021-04-06|2021-chuan-yu
    Chongqing|CN|29.5603|106.5577|2021-04-08|2021-chuan-yu
    Trieste|IT|45.6495|13.7768|2022-07-02|2022-adriatic
    Ljubljana|SI|46.0511|14.5051|2022-07-04|2022-adriatic
    Zadar|HR|44.1158|15.2251|2022-07-06|2022-adriatic
    Split|HR|43.5089|16.4392|2022-07-09|2022-adriatic
    Dubrovnik|HR|42.6412|18.1091|2022-07-12|2022-adriatic
    Kotor|ME|42.4207|18.7683|2022-07-15|2022-adriatic
    Tirana|AL|41.3274|19.8187|2022-07-17|2022-adriatic
    Almaty|KZ|43.2525|76.9115|2023-09-04|2023-central-asia
    Bishkek|KG|42.8700|74.5900|2023-09-07|2023-central-asia
    Tashkent|UZ|41.2647|69.2163|2023-09-11|2023-central-asia
    Samarkand|UZ|39.6546|66.9644|2023-09-13|2023-central-asia
    Bukhara|UZ|39.7703|64.4307|2023-09-16|2023-central-asia
    Khiva|UZ|41.3856|60.3641|2023-09-19|2023-central-asia
    Nairobi|KE|-1.2833|36.8167|2024-01-13|2024-east-africa
    Mombasa|KE|-4.0547|39.6636|2024-01-17|2024-east-africa
    Arusha|TZ|-3.3667|36.6833|2024-01-21|2024-east-africa
    Zanzibar|TZ|-6.1639|39.1979|2024-01-26|2024-east-africa
    Kigali|RW|-1.9500|30.0588|2024-02-02|2024-east-africa
    Kampala|UG|0.3163|32.5822|2024-02-06|2024-east-africa
    Zürich|CH|47.3667|8.5500|2024-08-03|2024-alps
    Chur|CH|46.8499|9.5329|2024-08-05|2024-alps
    Lugano|CH|46.0101|8.9600|2024-08-08|2024-alps
    Milan|IT|45.4643|9.1895|2024-08-10|2024-alps
    Innsbruck|AT|47.2627|11.3945|2024-08-13|2024-alps
    Salzburg|AT|47.7994|13.0440|2024-08-15|2024-alps
    München|DE|48.1374|11.5755|2024-08-17|2024-alps
    Chiang Mai|TH|18.7904|98.9847|2025-02-01|2025-indochina
    Luang Prabang|LA|19.8933|102.1525|2025-02-05|2025-indochina
    Vientiane|LA|17.9667|102.6000|2025-02-09|2025-indochina
    Siem Reap|KH|13.3618|103.8606|2025-02-14|2025-indochina
    Phnom Penh|KH|11.5625|104.9160|2025-02-18|2025-indochina
    Ho Chi Minh City|VN|10.8230|106.6296|2025-02-22|2025-indochina
    Hanoi|VN|21.0245|105.8412|2025-02-27|2025-indochina
    Beijing|CN|39.9075|116.3972|2011-10-02|
    Shanghai|CN|31.2222|121.4581|2011-12-24|
    Hangzhou|CN|30.2936|120.1614|2012-10-05|
    Suzhou|CN|31.3041|120.5954|2012-10-07|
    Nanjing|CN|32.0617|118.7778|2013-04-05|
    Wuhan|CN|30.5833|114.2667|2014-10-03|
    Changsha|CN|28.1987|112.9709|2014-10-05|
    Xiamen|CN|24.4798|118.0819|2015-10-02|
    Harbin|CN|45.7500|126.6500|2016-01-02|
    Qingdao|CN|36.0649|120.3804|2017-07-22|
    Taipei|TW|25.0531|121.5264|2017-02-03|
    Seoul|KR|37.5660|126.9784|2017-05-28|
    Busan|KR|35.1017|129.0300|2017-06-01|
    Singapore|SG|1.2897|103.8501|2018-09-21|
    London|GB|51.5085|-0.1257|2019-05-02|
    Paris|FR|48.8534|2.3488|2019-05-06|
    Berlin|DE|52.5244|13.4105|2019-05-10|
    Reykjavík|IS|64.1355|-21.8954|2019-08-17|
    New York City|US|40.7143|-74.0060|2019-11-22|
    San Francisco|US|37.7749|-122.4194|2019-11-28|
    Sanya|CN|18.2543|109.5095|2020-12-30|
    Lhasa|CN|29.6500|91.1000|2021-07-16|
    Guilin|CN|25.2802|110.2964|2021-10-03|
    Istanbul|TR|41.0138|28.9497|2022-10-14|
    Athens|GR|37.9838|23.7278|2022-10-18|
    Tokyo|JP|35.6895|139.6917|2023-04-01|
    Kyoto|JP|35.0211|135.7538|2023-04-05|
    Honolulu|US|21.3069|-157.8583|2023-12-27|
    Suva|FJ|-18.1368|178.4253|2024-05-02|
    Cape Town|ZA|-33.9258|18.4232|2024-11-09|
    Vancouver|CA|49.2497|-123.1193|2025-05-16|
    Mexico City|MX|19.4285|-99.1277|2025-05-23|
    """
}
